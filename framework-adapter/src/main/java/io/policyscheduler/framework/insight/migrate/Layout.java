package io.policyscheduler.framework.insight.migrate;

/** How a profile says what it runs. */
enum Layout {
    /** The plugins of the release, where need be with other weights. */
    DEFAULTS,
    /** The filters and scores listed at their points, the other points as the release has them. */
    POINTS,
    /** Every plugin listed once for all its points, without the halves that the policy does not have. */
    MULTI_POINT
}
