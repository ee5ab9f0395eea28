/** From the text of a rule to its syntax tree, and how a text is refused. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.syntax;
