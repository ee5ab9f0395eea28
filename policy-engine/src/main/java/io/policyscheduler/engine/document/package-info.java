/** Reading of documents: text to a tree with places, a tree to the shape of a Go type, and what is wrong with either. */
@NullMarked
package io.policyscheduler.engine.document;

import org.jspecify.annotations.NullMarked;
