package io.policyscheduler.framework.insight.migrate;

/**
 * The texts of a finding: a short one for a table cell and a full one, of the effect and of the fix.
 *
 * @param effect the effect in a few words
 * @param details the effect in full sentences
 * @param action the fix in a few words; empty if none is needed
 * @param fix the fix in full sentences; empty if none is needed
 */
public record FindingTexts(String effect, String details, String action, String fix) {
    /** Texts of a finding that needs no fix. */
    static FindingTexts of(String effect, String details) {
        return new FindingTexts(effect, details, "", "");
    }

    /** The same texts with a fix. */
    FindingTexts fixedBy(String shortFix, String fullFix) {
        return new FindingTexts(effect, details, shortFix, fullFix);
    }
}
