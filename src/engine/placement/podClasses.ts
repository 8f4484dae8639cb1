// Pod classes: pods that the scheduler treats alike (F6). Each class is compiled once into requests, rules and tallies.
// Past 300 lines: a class is compiled in one pass, and its parts share the same tables.
import type { Excess } from '../../cluster/crowding.ts';
import type { Pod, Toleration } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { HostPort, PodTerm, Preference, Scheduling, Spread } from '../../cluster/scheduling.ts';
import { matches, partsOf, type Selector, type TextMap } from '../../cluster/selector.ts';
import type { Volumes } from '../../cluster/volumes.ts';
import type { PlacementRule } from './placementRule.ts';
import {
  type AttachCheck,
  allNodes,
  type ClassRule,
  eachNode,
  type PodClass,
  type SpreadCheck,
  type Tables,
  type Topology,
} from './tables.ts';
import { type PodTraits, TermRegistry } from './termRegistry.ts';
import { asPlaced, type PlacedPod, withinDomains } from './uncounted.ts';
import { type MountedVolumes, mountedVolumes } from './volumeRule.ts';

interface ClassContext {
  readonly volumes: Volumes;
  namespaceLabels(name: string): TextMap;
  excessOn(pod: Pod): readonly Excess[];
}

/** The label keys that distinguish pods. */
interface AskedKeys {
  /** Label keys that terms select pods by. */
  readonly podKeys: ReadonlySet<string>;
  /** Label keys of nodes, if some pod is not evaluated. */
  readonly topologyKeys: ReadonlySet<string>;
}

export class PodClasses {
  readonly registry: TermRegistry;
  readonly #tables: Tables;
  readonly #context: ClassContext;
  readonly #asked: AskedKeys;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #ids = new Map<string, PodClass>();
  readonly #ruleIds = new Map<string, number>();
  readonly #topologyIds = new Map<string, number>();
  readonly #keyIds = new Map<string, number>();
  /** Of pods that are not evaluated: their scheduling as written, and reduced to existing topology keys. */
  readonly #withinDomains = new Map<Scheduling, Scheduling>();
  readonly #schedulingTexts = new Map<Scheduling, string>();
  /** Classes that mount volumes: their text and claims, and the volumes as last resolved. */
  readonly #mounting = new Map<PodClass, { readonly text: string; readonly claims: readonly string[]; was: string }>();

  constructor(tables: Tables, context: ClassContext, asked: AskedKeys) {
    this.#tables = tables;
    this.#context = context;
    this.#asked = asked;
    this.#columns = new Map(tables.resources.map((name, column) => [name, column]));
    this.registry = new TermRegistry(tables, (name) => context.namespaceLabels(name));
  }

  /** `isEnding`: it is terminating and still runs on its node. */
  classOf(given: Pod, isEnding = false): PodClass {
    const pod = this.#placed(given);
    const text = this.#textOf(pod, isEnding);
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const number = this.#read(pod, { namespace: pod.namespace, labels: this.#labelsOf(pod), isEnding }, text);
    this.#ids.set(text, number);
    return number;
  }

  #placed(given: Pod): PlacedPod {
    const pod = asPlaced(given, (it) => this.#context.excessOn(it));
    const { scheduling, isUncounted } = pod;
    if (!isUncounted || !scheduling) return pod;
    const within = this.#withinDomains.get(scheduling) ?? withinDomains(scheduling, this.#asked.topologyKeys);
    this.#withinDomains.set(scheduling, within);
    return { ...pod, scheduling: within };
  }

  /** Call after volumes have changed. Drops and returns the classes whose volumes differ; they are compiled again when needed. */
  forgetChanged(): ReadonlySet<PodClass> {
    const changed = new Set<PodClass>();
    for (const [number, { text, claims, was }] of this.#mounting) {
      if (JSON.stringify(mountedVolumes(claims, this.#context.volumes)) === was) continue;
      changed.add(number);
      this.#ids.delete(text);
      this.#mounting.delete(number);
    }
    return changed;
  }

  #read(pod: PlacedPod, traits: PodTraits, text: string): PodClass {
    const { scheduling } = pod;
    const mounted = scheduling && mountedVolumes(scheduling.volumeClaims, this.#context.volumes);
    const number = this.#tables.classes.length;
    const ruleText = rulesText(pod);
    const rule = this.#ruleId(pod, ruleText, mounted);
    const needs = Object.entries(pod.requests).flatMap(([name, amount]) => {
      const column = this.#columns.get(name);
      return amount > 0 && column !== undefined ? [{ column, amount }] : [];
    });
    const made: ClassRule = {
      needs,
      rule,
      counted: [],
      forbidden: [],
      excused: [],
      liked: [],
      preferred: preferencesOf(scheduling),
      ...this.#checks(pod, traits, mounted),
    };
    this.#tables.classes.push(made);
    this.registry.enter(number, traits);
    if (scheduling) {
      this.#placeAmongPods(number, scheduling);
      this.#placePorts(number, scheduling.hostPorts);
    }
    if (mounted) this.#placeVolumes(number, mounted);
    if (scheduling && scheduling.volumeClaims.length > 0)
      this.#mounting.set(number, { text, claims: scheduling.volumeClaims, was: JSON.stringify(mounted) });
    return number;
  }

  #checks(
    pod: Pod,
    traits: PodTraits,
    mounted: MountedVolumes | undefined,
  ): Pick<ClassRule, 'spread' | 'softSpread' | 'near' | 'attached'> {
    const { scheduling } = pod;
    if (!scheduling) return { spread: none, softSpread: none, attached: none };
    const { spread, near } = scheduling;
    const [hard, soft] = [spread.filter(({ isHard }) => isHard), spread.filter(({ isHard }) => !isHard)];
    return {
      spread: hard.map((it) => this.#spreadCheck(it, hard, pod, traits)),
      softSpread: soft.map((it) => this.#spreadCheck(it, soft, pod, traits)),
      ...(near.length > 0 && {
        near: {
          tallies: near.map(({ topologyKey }) => this.#counting(near, topologyKey, 'affinity')),
          self: this.registry.selects(near, traits) && !near.some(isReadWider),
        },
      }),
      attached: onceEach((mounted?.attachments ?? []).map((it) => this.#attachCheck(it))),
    };
  }

  #spreadCheck(spread: Spread, all: readonly Spread[], pod: Pod, traits: PodTraits): SpreadCheck {
    const { topologyKey, selector, honoursAffinity, honoursTaints, maxSkew, minDomains = 1 } = spread;
    // kube-scheduler counts the pod itself for an empty selector, but none of the existing pods.
    const isEmpty = !selector.nothing && selector.requirements.length === 0;
    const terms = [{ namespaces: [pod.namespace], selector: isEmpty ? matchesNothing : selector }];
    const rule = honoursTaints || (honoursAffinity && pod.nodeSelector) ? this.#ruleId(pod, rulesText(pod)) : undefined;
    const topology = this.#topology(topologyKey, {
      ...(honoursAffinity && pod.nodeSelector && rule !== undefined && { selectedBy: rule }),
      ...(honoursTaints && rule !== undefined && { toleratedBy: rule }),
      // A node that lacks the key of one of the constraints counts for none of them.
      alsoKeys: all.filter((it) => it.topologyKey !== topologyKey).map((it) => this.#key(it.topologyKey)),
    });
    const tally = this.registry.tallyOf(terms, 'countedAlive', { topology, hasLeast: true, obstacle: 'spread' });
    const isZonal =
      topologyKey === label.zone && rule === undefined && all.every((it) => it.topologyKey === topologyKey);
    return { tally, maxSkew, minDomains, isZonal, self: isEmpty || this.registry.selects(terms, traits) ? 1 : 0 };
  }

  #attachCheck({ driver, volume }: MountedVolumes['attachments'][number]): AttachCheck {
    const topology = this.#topology(eachNode);
    const tally = (name: string): number =>
      this.registry.tally(name, { topology, hasLeast: false, obstacle: 'attachments' });
    if (!this.#tables.drivers.includes(driver)) this.#tables.drivers.push(driver);
    return {
      driver: this.#tables.drivers.indexOf(driver),
      volume: tally(`volume ${driver} ${volume}`),
      used: tally(`driver ${driver}`),
    };
  }

  #placeAmongPods(number: PodClass, { near, apart, likes }: Scheduling): void {
    for (const whole of apart) {
      for (const { term, sign } of partsOfTerm(whole)) {
        const effect = sign > 0 ? 'forbidden' : 'excused';
        const met = this.#counting([asKubeSchedulerReads(term)], term.topologyKey, 'antiAffinity');
        this.#tables.classes[number]?.[effect].push(met);
        this.registry.count(number, this.#among(term, effect, 0));
      }
    }
    // The scheduler prefers nodes near pods whose affinity selects this pod.
    for (const whole of near) {
      for (const { term, sign } of partsOfTerm(whole)) this.registry.count(number, this.#among(term, 'liked', sign));
    }
    for (const like of likes) {
      if ('node' in like) continue;
      const [whole, weight] = 'near' in like ? [like.near, like.weight] : [like.apart, -like.weight];
      for (const { term, sign } of partsOfTerm(whole)) {
        const met = this.#counting([term], term.topologyKey, 'affinity');
        this.#tables.classes[number]?.liked.push({ tally: met, weight: weight * sign });
        this.registry.count(number, this.#among(term, 'liked', weight * sign));
      }
    }
  }

  /** The tally of the pods that the terms select. */
  #counting(terms: readonly PodTerm[], topologyKey: string, obstacle: 'affinity' | 'antiAffinity'): number {
    return this.registry.tallyOf(terms, 'counted', {
      topology: this.#topology(topologyKey),
      hasLeast: false,
      obstacle,
    });
  }

  /** The tally of the pods that have the term; it applies to the pods the term selects. */
  #among(term: PodTerm, effect: 'forbidden' | 'excused' | 'liked', weight: number): number {
    const tally = { topology: this.#topology(term.topologyKey), hasLeast: false, obstacle: 'antiAffinity' } as const;
    return this.registry.tallyOf([term], effect, tally, weight);
  }

  /** 0.0.0.0 means every address and conflicts with each of them. */
  #placePorts(number: PodClass, ports: readonly HostPort[]): void {
    const topology = this.#topology(eachNode);
    for (const { ip, protocol, port } of ports) {
      const tally = (address: string): number =>
        this.registry.tally(`port ${protocol} ${port} ${address}`, { topology, hasLeast: false, obstacle: 'port' });
      const address = ip === '' ? everyAddress : ip;
      const any = tally('any');
      this.registry.count(number, tally(address));
      this.registry.count(number, any);
      const colliding = address === everyAddress ? [any] : [tally(address), tally(everyAddress)];
      this.#tables.classes[number]?.forbidden.push(...colliding);
    }
  }

  #placeVolumes(number: PodClass, { exclusive }: MountedVolumes): void {
    const topology = this.#topology(allNodes);
    for (const claim of exclusive) {
      const tally = this.registry.tally(`claim ${claim}`, { topology, hasLeast: false, obstacle: 'volume' });
      this.registry.count(number, tally);
      this.#tables.classes[number]?.forbidden.push(tally);
    }
  }

  #ruleId({ tolerations, nodeSelector, isUncounted }: PlacedPod, text: string, mounted?: MountedVolumes): number {
    const whole = mounted?.rule ? `${text}${JSON.stringify(mounted.rule)}` : text;
    const known = this.#ruleIds.get(whole);
    if (known !== undefined) return known;
    const rule: PlacementRule = {
      tolerations,
      ...(nodeSelector && { nodeSelector }),
      ...(isUncounted && { isUncounted }),
      ...(mounted?.rule && { volumes: mounted.rule }),
    };
    const id = this.#tables.rules.push(rule) - 1;
    this.#ruleIds.set(whole, id);
    return id;
  }

  #topology(topologyKey: string, rest: Omit<Topology, 'key'> = { alsoKeys: [] }): number {
    const topology: Topology = { key: this.#key(topologyKey), ...rest };
    const text = JSON.stringify(topology);
    const known = this.#topologyIds.get(text);
    if (known !== undefined) return known;
    const id = this.#tables.topologies.push(topology) - 1;
    this.#topologyIds.set(text, id);
    return id;
  }

  #key(name: string): number {
    const known = this.#keyIds.get(name);
    if (known !== undefined) return known;
    const id = this.#tables.keys.push({ name, domains: new Map() }) - 1;
    this.#keyIds.set(name, id);
    return id;
  }

  #labelsOf({ labels }: Pod): TextMap {
    return Object.fromEntries(this.#keysOf(labels).map((key) => [key, labels[key] ?? '']));
  }

  /** The keys that terms use, sorted. */
  #keysOf(labels: TextMap): readonly string[] {
    const asked: string[] = [];
    for (const key in labels) if (this.#asked.podKeys.has(key)) asked.push(key);
    return asked.length > 1 ? asked.sort() : asked;
  }

  #textOf(pod: PlacedPod, isEnding: boolean): string {
    let text = isEnding ? `-${pod.namespace}` : pod.namespace;
    for (const key of this.#keysOf(pod.labels)) text += `\n${key}=${pod.labels[key]}`;
    text += needsText(pod.requests) + rulesText(pod);
    return pod.scheduling ? text + this.#schedulingText(pod.scheduling) : text;
  }

  #schedulingText(scheduling: Scheduling): string {
    const known = this.#schedulingTexts.get(scheduling) ?? JSON.stringify(scheduling);
    this.#schedulingTexts.set(scheduling, known);
    return known;
  }
}

const onceEach = (checks: readonly AttachCheck[]): readonly AttachCheck[] =>
  checks.filter((it, index) => checks.findIndex(({ volume }) => volume === it.volume) === index);

const everyAddress = '0.0.0.0';
const matchesNothing: Selector = { requirements: [], nothing: true };
const none = [] as const;

const preferencesOf = (scheduling: Scheduling | undefined): ClassRule['preferred'] =>
  scheduling
    ? scheduling.likes.flatMap((like) => (isOfNodes(like) ? [{ term: like.node, weight: like.weight }] : []))
    : none;

const isOfNodes = (like: Preference): like is Extract<Preference, { node: unknown }> => 'node' in like;

/** Requests and rules as text: pods with the same text are one class. */
function needsText(requests: Resources): string {
  let text = '\n';
  for (const name in requests) text += `${name} ${requests[name]} `;
  return text;
}

function rulesText({ tolerations, nodeSelector, isUncounted }: PlacedPod): string {
  let text = isUncounted ? '\n!' : '\n';
  for (const it of tolerations) text += tolerationText(it);
  return nodeSelector ? `${text}\n${JSON.stringify(nodeSelector)}` : text;
}

const tolerationText = ({ key, operator, value, effect }: Toleration): string =>
  `${key ?? ''} ${operator ?? ''} ${value ?? ''} ${effect ?? ''};`;

/**
 * kube-scheduler 1.36 matches a namespaceSelector in a pod's own terms against empty labels: one that matches them selects every
 * namespace. A narrower reading here would plan moves that the scheduler refuses.
 */
const isReadWider = ({ namespaceSelector }: PodTerm): boolean =>
  namespaceSelector !== undefined && namespaceSelector.requirements.length > 0 && matches(namespaceSelector, {});

const asKubeSchedulerReads = (term: PodTerm): PodTerm =>
  isReadWider(term) ? { ...term, namespaceSelector: { requirements: [] } } : term;

/** The signed terms that add up to this one. */
const partsOfTerm = (whole: PodTerm): readonly { readonly term: PodTerm; readonly sign: 1 | -1 }[] =>
  partsOf(whole.selector).map(({ requirements, sign }) => ({ term: { ...whole, selector: { requirements } }, sign }));
