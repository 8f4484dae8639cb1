// Is a pod deleted outright only under a deadline, and no sooner than needed (H2, H3)?
import type { Request } from '../../runtime/port.ts';
import {
  asDuration,
  asInstant,
  type Duration,
  formatInstant,
  type Instant,
  minute,
  second,
} from '../../time/instant.ts';
import { type KubeObject, keyAt, keyOf } from '../kubeObject.ts';
import { deadlineAnnotation, deadlineOf } from './deadline.ts';
import { pdbsOver } from './pdbs.ts';
import { annotationsOf, graceOf, instantOf, isActive, isDrained, isServing, textAt } from './raw.ts';
import type { Surroundings } from './surroundings.ts';
import { type Finding, finding } from './violation.ts';

type Action = Exclude<Request, { verb: 'commit' }>;

/** H3: as far apart as pods of one PDB may be forced. */
const widest: Duration = asDuration(2 * minute);

/** Two are not "at once" where there was no time to take one after the other anyway. */
const worthWaiting: Duration = asDuration(20 * second);

interface Drain {
  readonly since: Instant;
  readonly deadline: Instant;
}

interface Covered {
  readonly pod: KubeObject;
  readonly deadline: Instant;
  /** When its node began to be drained. */
  readonly since: Instant;
}

export class Forced {
  readonly #around: Surroundings;
  /** By PDB: when a pod of it was last forced. */
  readonly #last = new Map<string, Instant>();
  #disturbedUntil = asInstant(0);

  constructor(around: Surroundings) {
    this.#around = around;
  }

  disturbed(until: Instant): void {
    this.#disturbedUntil = asInstant(Math.max(this.#disturbedUntil, until));
  }

  /** `before`: the pod as it was, where the request began to end it; one that ended already is only hurried. */
  judge(request: Action, before: KubeObject | undefined, at: Instant): Finding[] {
    const key = keyAt(request.namespace, request.name);
    const pod = before ?? this.#around.objects.get('Pod', key);
    if (!pod) return [];
    const what = `pod ${key} is deleted`;
    const drain = this.#drainOf(pod);
    if (!drain) return [finding('H2', `${what}, though no deadline stands behind it`)];
    const { deadline, since } = drain;
    const findings: Finding[] = [];
    const grace = 1000 * (request.graceSeconds ?? graceOf(pod) / 1000);
    if (at + grace > Math.max(deadline, at + second) + second)
      findings.push(finding('H2', `${what} with more grace than is left until ${formatInstant(deadline)}`));
    if (!before) return findings;
    const covered = this.#alsoCovered(pod);
    const ends = [{ pod, deadline }, ...covered].map((it) => it.deadline - graceOf(it.pod));
    const earliest = Math.max(Math.min(...ends) - covered.length * widest, since);
    if (at < earliest)
      findings.push(
        finding('H2', `${what} ${(earliest - at) / 1000} s before it has to be (${formatInstant(deadline)})`),
      );
    // Where a drain has just begun for more pods of the PDB, all of them have to move up: several may be due at once.
    const isCrowded = covered.some(({ since }) => since > at - widest);
    return isCrowded ? findings : [...findings, ...this.#atOnce(pod, { at, drain, others: covered.length })];
  }

  /** H3: one at a time. */
  #atOnce(pod: KubeObject, { at, drain, others }: { at: Instant; drain: Drain; others: number }): Finding[] {
    // Who serves nobody is missed by nobody.
    if (!isServing(pod)) return [];
    return pdbsOver(pod, this.#around.objects.list('PodDisruptionBudget')).flatMap((pdb) => {
      const last = this.#last.get(keyOf(pdb));
      this.#last.set(keyOf(pdb), at);
      const room = (drain.deadline - drain.since) / (others + 2);
      const isCalm = at > this.#disturbedUntil + widest;
      if (last === undefined || at - last >= second || room < worthWaiting || !isCalm) return [];
      return [finding('H3', `pod ${keyOf(pod)} is forced together with another of PDB ${keyOf(pdb)}`)];
    });
  }

  #drainOf(pod: KubeObject): Drain | undefined {
    const { commands, objects, settings } = this.#around;
    const node = textAt(pod.spec, 'nodeName') ?? '';
    if (settings.role === 'guide') return this.#drainByKarpenter(node);
    const command = commands.ofNode(node);
    if (!command || !commands.isIn(command, 'draining')) return undefined;
    const claim = command.nodes.find(({ name }) => name === node)?.claim;
    const deadline = claim === undefined ? undefined : deadlineOf(objects.get('NodeClaim', claim), command.stepAt);
    return deadline === undefined ? undefined : { since: command.stepAt, deadline };
  }

  /** Its deadline stands on the claim from the moment that is deleted. */
  #drainByKarpenter(node: string): Drain | undefined {
    const claim = [...this.#around.objects.list('NodeClaim')].find(({ status }) => textAt(status, 'nodeName') === node);
    const since = instantOf(claim?.metadata.deletionTimestamp);
    const deadline = claim && instantOf(annotationsOf(claim)[deadlineAnnotation]);
    return since === undefined || deadline === undefined ? undefined : { since, deadline };
  }

  /** The other pods under the same PDBs that have to go by a deadline. */
  #alsoCovered(pod: KubeObject): Covered[] {
    const { objects } = this.#around;
    const pdbs = new Set(pdbsOver(pod, objects.list('PodDisruptionBudget')));
    if (pdbs.size === 0) return [];
    return this.#drained().flatMap((name) =>
      [...objects.podsOn(name)].flatMap((other) => {
        const isOther = other.metadata.uid !== pod.metadata.uid && isActive(other) && isDrained(other);
        const drain = isOther ? this.#drainOf(other) : undefined;
        const isCovered = drain && pdbsOver(other, objects.list('PodDisruptionBudget')).some((pdb) => pdbs.has(pdb));
        return isCovered ? [{ pod: other, deadline: drain.deadline, since: drain.since }] : [];
      }),
    );
  }

  #drained(): readonly string[] {
    const { objects, commands, settings } = this.#around;
    if (settings.role !== 'guide')
      return [...commands.underWay()].flatMap(({ nodes }) => nodes.map(({ name }) => name));
    return [...objects.list('Node')].map(({ metadata }) => metadata.name);
  }
}
