"""A folder of SQL files as the definition of stream tables: read, compared with the registry, applied."""
