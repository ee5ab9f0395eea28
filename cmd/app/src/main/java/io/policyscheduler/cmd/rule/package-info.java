/** The commands {@code rule check}, {@code eval}, {@code test}, {@code lint}, {@code explain}, {@code bench}, and {@code docs}, and their output. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.rule;
