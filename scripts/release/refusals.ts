// Reasons not to release: what is built must be what was committed, tagged and described, from pinned parts.
import { unpinnedIn } from './baseImages.ts';

export interface ReleaseFacts {
  /** The version in package.json, and those that must be equal to it. */
  readonly version: string;
  readonly lockVersion: string;
  readonly chartVersion: string;
  readonly changelog: string;
  readonly dockerfile: string;
  /** Empty if this is not a git checkout. */
  readonly commit: string;
  readonly tags: readonly string[];
  /** Lines of `git status --porcelain`. */
  readonly changes: readonly string[];
  readonly node: string;
  readonly pinnedNode: string;
}

/** The reasons not to release, one sentence each; none = it may be released. */
export function refusals(facts: ReleaseFacts): readonly string[] {
  const { version, lockVersion, chartVersion, commit, changes, node, pinnedNode, dockerfile } = facts;
  const said = [
    commit === '' && 'This is not a git checkout: a release names the commit it was built from.',
    changes.length > 0 &&
      `The working tree has ${counted(changes.length, 'change')} (${changes[0]?.slice(3)}): commit or remove it.`,
    lockVersion !== version && `package-lock.json says ${lockVersion}, package.json ${version}: run npm install.`,
    chartVersion !== version &&
      `deploy/chart/Chart.yaml says ${chartVersion}, package.json ${version}: run npm run reference.`,
    commit !== '' && tagRefusal(facts),
    ...changelogRefusals(facts),
    ...unpinnedIn(dockerfile),
    node !== pinnedNode &&
      `This is Node ${node}, releases are built with ${pinnedNode}: compressed files differ between versions.`,
  ];
  return said.filter((each) => each !== false && each !== undefined);
}

function tagRefusal({ version, tags }: ReleaseFacts): string | undefined {
  if (tags.includes(`v${version}`)) return undefined;
  const others = tags.filter((tag) => /^v\d/.test(tag));
  return others.length > 0
    ? `This commit is tagged ${others.join(', ')}, package.json says ${version}.`
    : `This commit has no tag v${version}: git tag --annotate v${version}`;
}

function changelogRefusals({ version, changelog }: ReleaseFacts): readonly string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const open = sections.find((section) => /^\[Unreleased\]/i.test(section)) ?? '';
  return [
    ...(sections.some((section) => section.startsWith(`[${version}]`))
      ? []
      : [`CHANGELOG.md has no section [${version}].`]),
    ...(/^- /m.test(open) ? [`CHANGELOG.md lists changes as Unreleased: move them to [${version}].`] : []),
  ];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
