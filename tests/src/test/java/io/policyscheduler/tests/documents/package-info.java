/** Tests of the Markdown pages: their links, and the output of the commands that they show. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.documents;
