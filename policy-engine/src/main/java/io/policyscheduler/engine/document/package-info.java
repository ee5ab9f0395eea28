/** Parsers of YAML and JSON documents: a tree with positions, its conversion to the schema of a Go type, and error messages. */
@NullMarked
package io.policyscheduler.engine.document;

import org.jspecify.annotations.NullMarked;
