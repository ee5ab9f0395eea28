package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.TextTerm;
import io.policyscheduler.engine.rules.data.Texts;
import org.jspecify.annotations.Nullable;

/** Code for terms about one text. */
final class TextCode {
    private TextCode() {}

    static Code of(TextTerm term, CodeBuilder builder) {
        Code text = builder.build(term.text());
        if (term instanceof TextTerm.Present) {
            return Code.ofBool(frame -> text.maybe(frame) != null);
        }
        if (term instanceof TextTerm.Blank) {
            return Code.ofBool(frame -> Texts.blank(text.maybe(frame), frame.meter));
        }
        if (term instanceof TextTerm.Case inCase) {
            boolean upper = inCase.upper();
            return Code.ofString(frame -> Texts.inCase(upper, text.string(frame), frame.meter));
        }
        if (term instanceof TextTerm.Length) {
            return Code.ofNumber(frame -> text.string(frame).length());
        }
        if (term instanceof TextTerm.OrElse orElse) {
            Code otherwise = builder.build(orElse.otherwise());
            return Code.ofString(frame -> {
                @Nullable String first = text.maybe(frame);
                return first == null || Texts.blank(first, frame.meter) ? otherwise.string(frame) : first;
            });
        }
        // A TextTerm.Known: the checker has seen to it, and where a failure has hidden the question it counts as ''.
        return Code.ofString(frame -> {
            @Nullable String known = text.maybe(frame);
            return known == null ? "" : known;
        });
    }
}
