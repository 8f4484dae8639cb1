// What does a pod ask for itself? Its annotations on when it may be moved, compiled (E1, E3–E6). Broken ones fail open, with a warning.
import type { OptOut, PodRules } from '../cluster/model.ts';
import { budgetReasons } from '../cluster/reason.ts';
import { freeSchedules } from '../cluster/scheduleShare.ts';
import type { Instant } from '../time/instant.ts';
import { steering } from './annotationName.ts';
import { show } from './findings.ts';
import type { Metadata } from './metadata.ts';
import { readOptOut, wordOfUsers } from './optOut.ts';
import { type CompiledWindow, compileWindow, type WindowForm } from './podWindow.ts';
import { defined, orList, type Reader } from './reader.ts';
import { reasonNamed } from './reasonName.ts';

export function readPodRules({ reader, annotations }: Metadata, status: Reader): PodRules | undefined {
  // Most pods say nothing, and there are many pods.
  if (!reader.has('annotations')) return undefined;
  const at = reader.at('annotations');
  const optOut = readProtection(at, annotations, status);
  const [allow, block] = [readWindow(at, annotations, 'allow'), readWindow(at, annotations, 'block')];
  const sizes = { allow: allow?.size ?? 0, block: block?.size ?? 0 };
  const rules = defined<PodRules>({
    optOut,
    allow: allow?.window,
    block: block?.window,
    sizes: sizes.allow + sizes.block > freeSchedules ? sizes : undefined,
  });
  return Object.keys(rules).length > 0 ? rules : undefined;
}

function readProtection(at: Reader, annotations: Metadata['annotations'], status: Reader): OptOut | undefined {
  const text = wordOfUsers(annotations);
  const start: Instant | undefined = text === undefined ? undefined : status.instant('startTime');
  const optOut =
    (text === undefined ? undefined : readOptOut(at, text, start)) ??
    (annotations[steering.doNotEvict] === 'true' ? ({ unread: true } as const) : undefined);
  const names = annotations[steering.doNotDisruptReasons];
  return optOut && names !== undefined ? limitTo(at, names, optOut) : optOut;
}

/** So many of the wrong names are told. */
const mostNamed = 10;

/** E3. Names that mean nothing are dropped; where none is left the protection is for every reason. */
function limitTo(at: Reader, names: string, optOut: OptOut): OptOut {
  const parts = names.split(',').filter((name) => name.trim() !== '');
  const known = parts.map(reasonNamed).filter((reason) => reason !== undefined);
  if (known.length < parts.length || known.length === 0) {
    const bad = parts.filter((name) => reasonNamed(name) === undefined);
    const named = bad.slice(0, mostNamed).map((name) => show(name.trim()));
    const more = bad.length > mostNamed ? ` and ${bad.length - mostNamed} more` : '';
    const what = bad.length > 0 ? `${named.join(', ')}${more} is no reason and is left out.` : 'No reason is named.';
    at.fault(steering.doNotDisruptReasons, `${what} Use ${orList(budgetReasons)}, with commas between.`);
  }
  return known.length > 0 ? { ...optOut, reasons: new Set(known) } : optOut;
}

const forms: Record<'allow' | 'block', WindowForm & { readonly schedule: string; readonly duration: string }> = {
  allow: { schedule: steering.schedule, duration: steering.scheduleDuration, cutLong: false },
  // A block that is too long was still meant to be long.
  block: { schedule: steering.blockSchedule, duration: steering.blockDuration, cutLong: true },
};

function readWindow(
  at: Reader,
  annotations: Metadata['annotations'],
  mode: 'allow' | 'block',
): CompiledWindow | undefined {
  const form = forms[mode];
  const schedule = annotations[form.schedule];
  if (schedule === undefined || schedule === '') return undefined;
  const compiled = compileWindow(
    { schedule, duration: annotations[form.duration] ?? '', timeZone: annotations[steering.timeZone] ?? '' },
    form,
  );
  const keys = { schedule: form.schedule, duration: form.duration, timeZone: steering.timeZone };
  for (const { field, message } of compiled.notes) at.fault(keys[field], message);
  return compiled;
}
