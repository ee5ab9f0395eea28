/** Small builders of nodes and pods for tests of all modules. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.engine.testing;
