/** A site of the Markdown pages, made by the build. */
@NullMarked
package io.policyscheduler.site;

import org.jspecify.annotations.NullMarked;
