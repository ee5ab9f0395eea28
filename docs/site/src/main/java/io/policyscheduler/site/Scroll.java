package io.policyscheduler.site;

import org.commonmark.node.CustomBlock;

/** What is wider than the page scrolls in it, and the page does not. */
final class Scroll extends CustomBlock {}
