package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Cost;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.Arithmetics;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.Elements;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Code for list operations. */
final class FoldCode {
    private final Code list;
    private final Code body;
    private final int slot;
    private final boolean pods;
    private final RuleType bodyType;
    private final long charge;

    private FoldCode(Term.Fold fold, CodeBuilder builder) {
        list = builder.build(fold.list());
        body = builder.build(fold.body());
        slot = fold.element().slot();
        pods = fold.element().type() == RuleType.POD;
        bodyType = fold.body().type();
        charge = Cost.ofElement(fold);
    }

    static Code of(Term.Fold fold, CodeBuilder builder) {
        FoldCode code = new FoldCode(fold, builder);
        return switch (fold.operation()) {
            case ANY -> Code.ofBool(frame -> code.first(frame, true));
            case ALL -> Code.ofBool(frame -> !code.first(frame, false));
            case COUNT -> Code.ofNumber(code::count);
            case SUM -> Code.ofNumber(code::sum);
            case MAX -> Code.ofNumber(code::max);
            case FILTER -> Code.ofList(code::filter);
            case MAP -> Code.ofList(code::map);
        };
    }

    private void move(Frame frame, Object element) {
        frame.meter.charge(charge);
        frame.objects[slot] = pods ? frame.podView(slot, (PodInfo) element) : Elements.view(element);
    }

    /** True when some element has this answer. */
    private boolean first(Frame frame, boolean wanted) {
        List<?> elements = list.list(frame);
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            if (body.bool(frame) == wanted) {
                return true;
            }
        }
        return false;
    }

    private List<?> filter(Frame frame) {
        List<?> elements = list.list(frame);
        List<Object> chosen = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            if (body.bool(frame)) {
                chosen.add(elements.get(i));
            }
        }
        return chosen;
    }

    private List<?> map(Frame frame) {
        List<?> elements = list.list(frame);
        List<@Nullable Object> values = new ArrayList<>(elements.size());
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            values.add(body.value(frame, bodyType));
        }
        return values;
    }

    private double count(Frame frame) {
        List<?> elements = list.list(frame);
        int count = 0;
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            count += body.bool(frame) ? 1 : 0;
        }
        return count;
    }

    private double sum(Frame frame) {
        List<?> elements = list.list(frame);
        double sum = 0;
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            sum = Arithmetics.finite(sum + body.number(frame));
        }
        return sum;
    }

    /** The largest value, 0 for an empty list. */
    private double max(Frame frame) {
        List<?> elements = list.list(frame);
        double max = 0;
        for (int i = 0; i < elements.size(); i++) {
            move(frame, elements.get(i));
            double value = body.number(frame);
            max = i == 0 || value > max ? value : max;
        }
        return max;
    }
}
