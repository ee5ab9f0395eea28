/** Rules as their authors see them: parts of the text, what the checker made of them, and what they came to. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.part;
