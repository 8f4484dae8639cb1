// Code blocks of the docs that are not run here: each with the reason, and the test that shows the same.
import type { Block } from './blocks.ts';

export interface Untried {
  readonly page: string;
  /** How its first line begins. */
  readonly begins: string;
  readonly why: string;
  /** A test or story that does the same. */
  readonly shownBy: string;
}

const realCluster = 'it wants a real cluster';
const notPublished = 'it wants something that is published';
const noContainers = 'it wants a container runtime and a registry';

export const untried: readonly Untried[] = [
  {
    page: 'README.md',
    begins: 'npm install && npm start',
    why: 'it does not end, and installs the packages again',
    shownBy: 'test/package/package.test.ts',
  },
  {
    page: 'CONTRIBUTING.md',
    begins: 'npm install',
    why: 'it is what runs this test',
    shownBy: '.ci/run',
  },
  {
    page: 'docs/architecture.md',
    begins: '   text, API server',
    why: 'it is a picture',
    shownBy: 'test/architecture/imports.test.ts',
  },
  {
    page: 'docs/contract.md',
    begins: '{ "at", "wakeAt"?',
    why: 'it is the schema of an answer, not an answer',
    shownBy: 'test/hostile/roundShape.ts',
  },
  {
    page: 'docs/guide/first-hour.md',
    begins: 'lull decide\nlull lint',
    why: realCluster,
    shownBy: 'test/e2e/17-first-hour.e2e.ts',
  },
  {
    page: 'docs/guide/policy.md',
    begins: 'lull roll web --note',
    why: realCluster,
    shownBy: 'src/cli/roll/personCommands.test.ts',
  },
  {
    page: 'docs/guide/policy.md',
    begins: 'lull approve node/gpu-3',
    why: realCluster,
    shownBy: 'src/cli/roll/personCommands.test.ts',
  },
  {
    page: 'docs/guide/beside-karpenter.md',
    begins: 'lull install --set role=guide --image',
    why: noContainers,
    shownBy: 'test/e2e/13-install.e2e.ts',
  },
  {
    page: 'docs/guide/consolidation.md',
    begins: 'lull decide -f now.ndjson.gz',
    why: "it needs a snapshot of the reader's cluster",
    shownBy: 'src/cli/decide/decide.test.ts',
  },
  {
    page: 'docs/guide/consolidation.md',
    begins: 'kubectl get --raw',
    why: "it needs a cluster with Karpenter's AWS provider",
    shownBy: 'src/cli/settings.test.ts',
  },
  {
    page: 'docs/guide/reporting.md',
    begins: 'lull snapshot --anonymise',
    why: realCluster,
    shownBy: 'test/e2e/17-first-hour.e2e.ts',
  },
  {
    page: 'docs/guide/reporting.md',
    begins: 'lull snapshot --recording',
    why: "it needs a recording of the reader's",
    shownBy: 'src/cli/snapshot/snapshot.test.ts',
  },
  {
    page: 'docs/guide/reporting.md',
    begins: '102 objects of',
    why: "it is about the reader's cluster",
    shownBy: 'src/cli/snapshot/snapshot.test.ts',
  },
  {
    page: 'docs/guide/on-call.md',
    begins: 'kubectl get mutatingadmissionpolicybinding',
    why: realCluster,
    shownBy: 'test/e2e/48-born-parked.e2e.ts',
  },
  {
    page: 'docs/releasing.md',
    begins: 'git tag --annotate',
    why: 'it tags this checkout',
    shownBy: 'test/supply/release.test.ts',
  },
  {
    page: 'docs/releasing.md',
    begins: 'identity=https',
    why: notPublished,
    shownBy: '.github/workflows/release.yml',
  },
  {
    page: 'docs/releasing.md',
    begins: 'cosign verify-blob',
    why: notPublished,
    shownBy: '.github/workflows/release.yml',
  },
  {
    page: 'docs/guide/dashboard.md',
    begins: '(umask 077; openssl rand',
    why: realCluster,
    shownBy: 'src/server/certificate.test.ts',
  },
  {
    page: 'docs/guide/dashboard.md',
    begins: "(umask 077; printf 'authorization",
    why: realCluster,
    shownBy: 'src/server/server.test.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'npm install && npm pack',
    why: 'it installs for the whole machine',
    shownBy: 'test/package/package.test.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'npm run image',
    why: noContainers,
    shownBy: 'test/e2e/60-image.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'docker buildx build',
    why: noContainers,
    shownBy: 'test/image/image.test.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'helm install',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: '$ helm install',
    why: realCluster,
    shownBy: 'test/e2e/62-helm-in-pods.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'npm run build && npm run cluster:build',
    why: realCluster,
    shownBy: 'test/e2e/62-helm-in-pods.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: ' 0.3 s',
    why: realCluster,
    shownBy: 'test/e2e/62-helm-in-pods.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: '…T23:15:05.230Z',
    why: realCluster,
    shownBy: 'test/e2e/62-helm-in-pods.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'lull install',
    why: realCluster,
    shownBy: 'test/e2e/13-install.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'helm upgrade',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'helm uninstall',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/installing.md',
    begins: 'kubectl delete crd',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/upgrading.md',
    begins: 'helm upgrade',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/upgrading.md',
    begins: 'lull install\n',
    why: realCluster,
    shownBy: 'test/e2e/13-install.e2e.ts',
  },
  {
    page: 'docs/guide/uninstalling.md',
    begins: 'helm uninstall',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/uninstalling.md',
    begins: 'helm rollback',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/uninstalling.md',
    begins: 'lull release --stop',
    why: realCluster,
    shownBy: 'test/e2e/14-chart.e2e.ts',
  },
  {
    page: 'docs/guide/uninstalling.md',
    begins: 'kubectl get nodes,pods,nodeclaims',
    why: realCluster,
    shownBy: 'test/e2e/15-guide-page.e2e.ts',
  },
  {
    page: 'docs/guide/uninstalling.md',
    begins: 'lull release --yes',
    why: realCluster,
    shownBy: 'test/e2e/44-release.e2e.ts',
  },
  {
    page: 'docs/support/aws.md',
    begins: 'npm run cluster:build -- --aws',
    why: realCluster,
    shownBy: 'test/e2e/70-aws-image-roll.e2e.ts',
  },
];

export const isMeant = ({ page, text }: Block, { page: named, begins }: Untried): boolean =>
  page === named && text.startsWith(begins);

export const whyUntried = (block: Block): Untried | undefined => untried.find((each) => isMeant(block, each));
