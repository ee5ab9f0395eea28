/** The settings of a scheduler: one row for each, with every name it has, its type, range and defaults. */
@NullMarked
package io.policyscheduler.framework.config.setting;

import org.jspecify.annotations.NullMarked;
