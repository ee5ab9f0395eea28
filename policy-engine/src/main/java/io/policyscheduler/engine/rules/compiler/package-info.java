/** The compiler of rules: lexer, parser, checker, and the checked tree with its costs and its members. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.rules.compiler;
