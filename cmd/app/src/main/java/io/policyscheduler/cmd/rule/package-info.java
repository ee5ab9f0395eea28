/** The commands {@code rule check}, {@code eval}, {@code test}, {@code bench} and {@code docs}, and their views. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.cmd.rule;
