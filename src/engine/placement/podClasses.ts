// Which pods schedule alike (F6)? Each is read once into a class: what it needs, whom it admits near it, where it is counted.
import type { Excess } from '../../cluster/crowding.ts';
import type { Pod } from '../../cluster/model.ts';
import type { HostPort, PodTerm, Preference, Scheduling, Spread } from '../../cluster/scheduling.ts';
import type { Selector, TextMap } from '../../cluster/selector.ts';
import type { Volumes } from '../../cluster/volumes.ts';
import type { PodClass } from './board.ts';
import { needsText, rulesText } from './podTexts.ts';
import type { Rule } from './rule.ts';
import type { Seen } from './seenIndex.ts';
import type { AttachCheck, ClassRule, Field, SpreadCheck, Tables } from './tables.ts';
import { allNodes, eachNode } from './tables.ts';
import { TermBook } from './termBook.ts';
import { asKubeSchedulerReads, isReadWider, partsOfTerm } from './termParts.ts';
import { asPlaced, type PlacedPod, withinDomains } from './uncounted.ts';
import { type MountedVolumes, mountedVolumes } from './volumeRule.ts';

interface Surroundings {
  readonly volumes: Volumes;
  namespaceLabels(name: string): TextMap;
  excessOn(pod: Pod): readonly Excess[];
}

/** What makes pods differ. */
interface AskedKeys {
  /** The label keys that terms ask pods for. */
  readonly podKeys: ReadonlySet<string>;
  /** The label keys of nodes, where some pod is not worked out. */
  readonly topologyKeys: ReadonlySet<string>;
}

export class PodClasses {
  readonly book: TermBook;
  readonly #tables: Tables;
  readonly #surroundings: Surroundings;
  readonly #asked: AskedKeys;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #ids = new Map<string, PodClass>();
  readonly #ruleIds = new Map<string, number>();
  readonly #fieldIds = new Map<string, number>();
  readonly #keyIds = new Map<string, number>();
  /** Those of pods that are not worked out, as they were and as they count. */
  readonly #withinDomains = new Map<Scheduling, Scheduling>();
  readonly #schedulingTexts = new Map<Scheduling, string>();
  /** The classes that mount volumes: their text, claims, and what those came to when they were read. */
  readonly #mounting = new Map<PodClass, { readonly text: string; readonly claims: readonly string[]; was: string }>();

  constructor(tables: Tables, surroundings: Surroundings, asked: AskedKeys) {
    this.#tables = tables;
    this.#surroundings = surroundings;
    this.#asked = asked;
    this.#columns = new Map(tables.resources.map((name, column) => [name, column]));
    this.book = new TermBook(tables, (name) => surroundings.namespaceLabels(name));
  }

  /** `isEnding`: it terminates, and still stands where it is. */
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
    const pod = asPlaced(given, (it) => this.#surroundings.excessOn(it));
    const { scheduling, isUncounted } = pod;
    if (!isUncounted || !scheduling) return pod;
    const within = this.#withinDomains.get(scheduling) ?? withinDomains(scheduling, this.#asked.topologyKeys);
    this.#withinDomains.set(scheduling, within);
    return { ...pod, scheduling: within };
  }

  /** After volumes have changed: the classes that are something else from now on. They are forgotten, and read anew when met. */
  forgetChanged(): ReadonlySet<PodClass> {
    const changed = new Set<PodClass>();
    for (const [number, { text, claims, was }] of this.#mounting) {
      if (JSON.stringify(mountedVolumes(claims, this.#surroundings.volumes)) === was) continue;
      changed.add(number);
      this.#ids.delete(text);
      this.#mounting.delete(number);
    }
    return changed;
  }

  #read(pod: PlacedPod, seen: Seen, text: string): PodClass {
    const { scheduling } = pod;
    const mounted = scheduling && mountedVolumes(scheduling.volumeClaims, this.#surroundings.volumes);
    const number = this.#tables.classes.length;
    const ruleText = rulesText(pod);
    const rule = this.#ruleId(pod, ruleText, mounted);
    const needs = Object.keys(pod.requests).filter((name) => (pod.requests[name] as number) > 0);
    const made: ClassRule = {
      columns: needs.map((name) => this.#columns.get(name) as number),
      amounts: needs.map((name) => pod.requests[name] as number),
      rule,
      counted: [],
      forbidden: [],
      excused: [],
      liked: [],
      preferred: preferencesOf(scheduling),
      ...this.#checks(pod, seen, mounted),
    };
    this.#tables.classes.push(made);
    this.book.enter(number, seen);
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
    seen: Seen,
    mounted: MountedVolumes | undefined,
  ): Pick<ClassRule, 'spread' | 'softSpread' | 'near' | 'attached'> {
    const { scheduling } = pod;
    if (!scheduling) return { spread: none, softSpread: none, attached: none };
    const { spread, near } = scheduling;
    const [hard, soft] = [spread.filter(({ isHard }) => isHard), spread.filter(({ isHard }) => !isHard)];
    return {
      spread: hard.map((it) => this.#spreadCheck(it, hard, pod, seen)),
      softSpread: soft.map((it) => this.#spreadCheck(it, soft, pod, seen)),
      ...(near.length > 0 && {
        near: {
          tallies: near.map(({ topologyKey }) => this.#counting(near, topologyKey, 'affinity')),
          self: this.book.means(near, seen) && !near.some(isReadWider),
        },
      }),
      attached: onceEach((mounted?.attachments ?? []).map((it) => this.#attachCheck(it))),
    };
  }

  #spreadCheck(spread: Spread, all: readonly Spread[], pod: Pod, seen: Seen): SpreadCheck {
    const { topologyKey, selector, honoursAffinity, honoursTaints, maxSkew, minDomains = 1 } = spread;
    // An empty selector means the pod itself and, as the scheduler has it, none of those that are there.
    const isEmpty = !selector.nothing && selector.requirements.length === 0;
    const terms = [{ namespaces: [pod.namespace], selector: isEmpty ? nobody : selector }];
    const rule = honoursTaints || (honoursAffinity && pod.nodeSelector) ? this.#ruleId(pod, rulesText(pod)) : undefined;
    const field = this.#field(topologyKey, {
      ...(honoursAffinity && pod.nodeSelector && rule !== undefined && { selectedBy: rule }),
      ...(honoursTaints && rule !== undefined && { toleratedBy: rule }),
      // A node that lacks the key of another of its constraints is left out of all of them.
      alsoKeys: all.filter((it) => it.topologyKey !== topologyKey).map((it) => this.#key(it.topologyKey)),
    });
    const tally = this.book.tallyOf(terms, 'countedAlive', { field, hasLeast: true, obstacle: 'spread' });
    return { tally, maxSkew, minDomains, self: isEmpty || this.book.means(terms, seen) ? 1 : 0 };
  }

  #attachCheck({ driver, volume }: MountedVolumes['attachments'][number]): AttachCheck {
    const field = this.#field(eachNode);
    const tally = (name: string): number => this.book.tally(name, { field, hasLeast: false, obstacle: 'attachments' });
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
        this.#rule(number)[effect].push(met);
        this.book.count(number, this.#among(term, effect, 0));
      }
    }
    // The scheduler likes to have whom somebody looks for near them.
    for (const whole of near) {
      for (const { term, sign } of partsOfTerm(whole)) this.book.count(number, this.#among(term, 'liked', sign));
    }
    for (const like of likes) {
      if ('node' in like) continue;
      const [whole, weight] = 'near' in like ? [like.near, like.weight] : [like.apart, -like.weight];
      for (const { term, sign } of partsOfTerm(whole)) {
        const met = this.#counting([term], term.topologyKey, 'affinity');
        this.#rule(number).liked.push({ tally: met, weight: weight * sign });
        this.book.count(number, this.#among(term, 'liked', weight * sign));
      }
    }
  }

  /** Counts those whom the terms mean. */
  #counting(terms: readonly PodTerm[], topologyKey: string, obstacle: 'affinity' | 'antiAffinity'): number {
    return this.book.tallyOf(terms, 'counted', { field: this.#field(topologyKey), hasLeast: false, obstacle });
  }

  /** Counts those who have the term, for whom it means. */
  #among(term: PodTerm, effect: 'forbidden' | 'excused' | 'liked', weight: number): number {
    const tally = { field: this.#field(term.topologyKey), hasLeast: false, obstacle: 'antiAffinity' } as const;
    return this.book.tallyOf([term], effect, tally, weight);
  }

  /** 0.0.0.0 is every address: it collides with each. */
  #placePorts(number: PodClass, ports: readonly HostPort[]): void {
    const field = this.#field(eachNode);
    for (const { ip, protocol, port } of ports) {
      const tally = (address: string): number =>
        this.book.tally(`port ${protocol} ${port} ${address}`, { field, hasLeast: false, obstacle: 'port' });
      const address = ip === '' ? everyAddress : ip;
      const any = tally('any');
      this.book.count(number, tally(address));
      this.book.count(number, any);
      this.#rule(number).forbidden.push(...(address === everyAddress ? [any] : [tally(address), tally(everyAddress)]));
    }
  }

  #placeVolumes(number: PodClass, { exclusive }: MountedVolumes): void {
    const field = this.#field(allNodes);
    for (const claim of exclusive) {
      const tally = this.book.tally(`claim ${claim}`, { field, hasLeast: false, obstacle: 'volume' });
      this.book.count(number, tally);
      this.#rule(number).forbidden.push(tally);
    }
  }

  #rule(number: PodClass): ClassRule {
    return this.#tables.classes[number] as ClassRule;
  }

  #ruleId({ tolerations, nodeSelector, isUncounted }: PlacedPod, text: string, mounted?: MountedVolumes): number {
    const whole = mounted?.rule ? `${text}${JSON.stringify(mounted.rule)}` : text;
    const known = this.#ruleIds.get(whole);
    if (known !== undefined) return known;
    const rule: Rule = {
      tolerations,
      ...(nodeSelector && { nodeSelector }),
      ...(isUncounted && { isUncounted }),
      ...(mounted?.rule && { volumes: mounted.rule }),
    };
    const id = this.#tables.rules.push(rule) - 1;
    this.#ruleIds.set(whole, id);
    return id;
  }

  #field(topologyKey: string, rest: Omit<Field, 'key'> = { alsoKeys: [] }): number {
    const field: Field = { key: this.#key(topologyKey), ...rest };
    const text = JSON.stringify(field);
    const known = this.#fieldIds.get(text);
    if (known !== undefined) return known;
    const id = this.#tables.fields.push(field) - 1;
    this.#fieldIds.set(text, id);
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
    return Object.fromEntries(this.#keysOf(labels).map((key) => [key, labels[key] as string]));
  }

  /** The keys that some term asks for, in the same order for all pods. */
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
const nobody: Selector = { requirements: [], nothing: true };
const none = [] as const;

const preferencesOf = (scheduling: Scheduling | undefined): ClassRule['preferred'] =>
  scheduling
    ? scheduling.likes.flatMap((like) => (isOfNodes(like) ? [{ term: like.node, weight: like.weight }] : []))
    : none;

const isOfNodes = (like: Preference): like is Extract<Preference, { node: unknown }> => 'node' in like;
