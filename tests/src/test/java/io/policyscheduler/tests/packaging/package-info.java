/** Tests of what operators install: the archive, the image, the manifests, and the chart. */
@org.jspecify.annotations.NullMarked
package io.policyscheduler.tests.packaging;
