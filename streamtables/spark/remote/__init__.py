"""The engine over Spark Connect: by SQL and DataFrames alone, where there is no JVM to ask.

changes      the feed of a source that has one, else its two versions compared
writing      `replaceWhere` or MERGE: there is no hiding of rows
state        none is kept: what a delta needs of sources is read from them
"""
