"""What Spark's functions are, by name: which aggregate, which depend on more than their arguments."""

from __future__ import annotations


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


AGGREGATES = _names(
    """
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate approx_top_k_combine
    array_agg avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg bitmap_xor_agg bool_and
    bool_or collect_list collect_set corr count count_if count_min_sketch covar_pop covar_samp every first first_value
    grouping grouping_id histogram_numeric hll_sketch_agg hll_union_agg kll_merge_agg_bigint kll_merge_agg_double
    kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float kurtosis last last_value
    listagg max max_by mean median min min_by mode percentile percentile_approx percentile_cont percentile_disc
    regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy schema_of_variant_agg
    skewness some std stddev stddev_pop stddev_samp string_agg sum theta_intersection_agg theta_sketch_agg
    theta_union_agg try_avg try_sum tuple_intersection_agg_double tuple_intersection_agg_integer
    tuple_sketch_agg_double tuple_sketch_agg_integer tuple_union_agg_double tuple_union_agg_integer var_pop var_samp
    variance vector_avg vector_sum
    """
)

# The answer depends on the order in which Spark meets the rows, so two runs over the same rows may differ.
ORDER_DEPENDENT = _names("any_value first first_value last last_value")

# The same answer over the same rows in whatever order they come; the others may differ, if only in the last digit.
STABLE = _names(
    """
    any approx_count_distinct bit_and bit_or bit_xor bitmap_construct_agg bitmap_or_agg bool_and bool_or count
    count_if every grouping grouping_id max median min percentile percentile_cont percentile_disc regr_count some
    """
)
# The same answer over the same rows in the same order, NULL over none, and NULLs in the first argument do not count.
FED_IN_ORDER = _names(
    """
    approx_percentile corr covar_pop covar_samp histogram_numeric kurtosis mode percentile_approx regr_avgx regr_avgy
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness std stddev stddev_pop stddev_samp var_pop
    var_samp variance
    """
)
# Stable unless they add up floats.
SUMS = _names("sum avg mean try_sum try_avg")

# Floats, whatever they are given.
FLOATS = _names(
    """
    acos acosh asin asinh atan atan2 atanh avg cbrt cos cosh cot csc degrees double exp expm1 float hypot ln log
    log10 log1p log2 mean median percentile percentile_cont percentile_disc pi pow power radians sec sin sinh sqrt
    tan tanh try_avg try_divide
    """
)

# What they give where there are no rows; every other gives NULL.
ZERO_OVER_NOTHING = _names("approx_count_distinct count count_if hll_sketch_estimate regr_count")
EMPTY_OVER_NOTHING = _names("array_agg collect_list collect_set")

# What they make cannot be sorted.
MAPS = _names(
    "from_json map map_concat map_filter map_from_arrays map_from_entries parse_json str_to_map transform_values"
)

# What gives back a value that it was given, or a part of it or more around it.
HANDING_ON = _names(
    "any_value arg_max arg_min array array_agg array_append array_concat case coalesce collect_list collect_set filter"
    " first first_value if ifnull last last_value max_by min_by named_struct nullif nvl nvl2 struct transform"
)

GENERATORS = _names(
    "explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer stack"
)

WINDOW_ONLY = _names(
    "cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number session_window window"
)

# Another answer at each call.
RANDOM = _names(
    """
    monotonically_increasing_id rand randn randstr random shuffle spark_partition_id uniform uuid
    input_file_name input_file_block_length input_file_block_start
    """
)

# Another answer for another person or session.
SESSION = _names(
    "current_catalog current_database current_schema current_user session_user user version"
)

# Another answer as time passes.
CLOCK = _names(
    """
    current_date current_timestamp curdate current_time current_timezone localtimestamp now
    """
)
# These read the clock only when they are given no argument.
CLOCK_WITHOUT_ARGUMENTS = frozenset(["unix_timestamp"])
