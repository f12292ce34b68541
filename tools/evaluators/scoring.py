"""What evaluators answer to strata: scores of a model's outputs, and the loop that serves them.

README.md describes the protocol; needs numpy.
"""
import json
import sys

import numpy as np

CLASSIFYING = ("accuracy", "f1", "agreement")
METRICS = (*CLASSIFYING, "correlation", "cosine")
IGNORED = -100  # the label of a token that does not count


class Unfit(Exception):
    """The data or the model cannot be scored as asked."""


def log_probabilities(out):
    """Of each class, along the last axis; `out` are logits or probabilities of any such kind."""
    if out.ndim == 1 or out.shape[-1] == 1:  # one number for two classes
        x = out.reshape(len(out), -1) if out.ndim == 1 else out
        is_share = bool(((x >= 0) & (x <= 1)).all())
        x = np.log(np.clip(x, 1e-12, 1)) - np.log(np.clip(1 - x, 1e-12, 1)) if is_share else x
        out = np.concatenate([np.zeros_like(x), x], -1)
    elif (out >= 0).all() and np.allclose(out.sum(-1), 1, atol=1e-3):
        return np.log(np.clip(out, 1e-12, 1))
    out = out - out.max(-1, keepdims=True)
    return out - np.log(np.exp(out).sum(-1, keepdims=True))


def temperature_of(logs, labels):
    """What the logits are to be divided by so that the probabilities fit the labels best (Guo et
    al., On Calibration of Modern Neural Networks, 2017)."""
    places = np.arange(len(labels))

    def misfit(temperature):
        scaled = log_probabilities(logs / temperature)
        return -scaled[places, labels].mean()

    return min(np.exp(np.linspace(np.log(0.25), np.log(16), 64)), key=misfit)


def expected_loss(true, logs, labels):
    """Accuracy that answering as `logs` instead of as `true` costs if the probabilities of `true`,
    calibrated on the labels, are right. Samples without a change cost nothing."""
    belief = np.exp(log_probabilities(true / temperature_of(true, labels)))
    places = np.arange(len(labels))
    return float((belief.max(-1) - belief[places, logs.argmax(-1)]).mean())


class Scorer:
    """Scores outputs against the labels and against those of the unquantized model."""

    def __init__(self, labels, metric=None, source="the data"):
        if metric is None:
            is_class = labels is not None and labels.dtype.kind in "iub"
            metric = "agreement" if labels is None else "accuracy" if is_class else "correlation"
        if metric in ("accuracy", "f1", "correlation") and labels is None:
            raise Unfit(f"{source} has no labels, which {metric} needs")
        self.metric, self.labels, self.reference = metric, labels, None

    def answer(self, out, is_reference):
        if not np.isfinite(out).all():
            raise Unfit("the model's output is not finite")
        if is_reference:
            self.reference = out
        elif self.reference is not None and self.reference.shape != out.shape:
            raise Unfit(f"the output is {out.shape}, the reference's {self.reference.shape}")
        score = self.classes if self.metric in CLASSIFYING else self.values
        return {"metric": self.metric, **score(out)}

    def classes(self, out):
        logs = log_probabilities(out)
        labels, counted = self.labels, ...
        if self.metric == "agreement":
            labels = self.needed().argmax(-1)
        elif labels.shape != logs.shape[:-1]:
            raise Unfit(f"labels are {labels.shape}, the output is {out.shape}")
        else:
            counted = labels != IGNORED
        found = logs.argmax(-1)[counted].ravel()
        labels = labels[counted].ravel()
        correct = found == labels
        score = f1(found, labels) if self.metric == "f1" else correct.mean()
        answer = {"score": float(score), "samples": int(correct.size),
                  "correct": np.packbits(correct).tobytes().hex()}
        if self.reference is not None:
            true = log_probabilities(self.reference)
            kl = (np.exp(true) * (true - logs)).sum(-1)[counted]
            answer["divergence"] = max(float(kl.mean()), 0.0)
            if self.metric == "accuracy":
                classes = logs.shape[-1]
                answer["expected_loss"] = expected_loss(
                    true[counted].reshape(-1, classes), logs[counted].reshape(-1, classes), labels)
        return answer

    def values(self, out):
        flat = out.reshape(len(out), -1)
        if self.metric == "cosine":
            true = self.needed_values().reshape(len(out), -1)
            norms = np.linalg.norm(flat, axis=1) * np.linalg.norm(true, axis=1)
            score = ((flat * true).sum(1) / np.maximum(norms, 1e-30)).mean()
        else:
            if flat.size != self.labels.size:
                raise Unfit(f"labels are {self.labels.shape}, the output is {out.shape}")
            score = np.nan_to_num(np.corrcoef(flat.ravel(), self.labels.ravel())[0, 1])
        answer = {"score": float(score), "samples": len(out)}
        if self.reference is not None:
            answer["divergence"] = float(((out - self.reference) ** 2).mean())
        return answer

    def needed_values(self):
        if self.reference is None:
            raise Unfit(f"{self.metric} needs the unquantized model first")
        return self.reference

    def needed(self):
        return log_probabilities(self.needed_values())


def f1(found, labels):
    """Of class 1 if there are two classes, else the mean over all classes."""
    classes = np.unique(np.concatenate([found, labels]))
    classes = [1] if set(classes) <= {0, 1} else classes
    scores = []
    for one in classes:
        hits = ((found == one) & (labels == one)).sum()
        total = (found == one).sum() + (labels == one).sum()
        scores.append(2 * hits / total if total else 0.0)
    return np.mean(scores)


def serve(scorer, outputs_of):
    """Answers a line of JSON for each on stdin, until it ends; `outputs_of` a path are the outputs
    of that model for all samples."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints must not come between the answers
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = scorer.answer(outputs_of(request["model"]), request.get("reference", False))
        except Exception as error:  # a model that cannot be scored is an answer, not a crash
            answer = {"error": f"{error}"}
        print(json.dumps({"id": request["id"], **answer}), file=answers, flush=True)
