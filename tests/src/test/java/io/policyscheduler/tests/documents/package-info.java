/** The Markdown pages: what they link to, and what the program says where they show its output. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.documents;
