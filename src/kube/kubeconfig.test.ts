import { describe, expect, it } from 'vitest';
import { after, asDuration, type Instant, parseInstant } from '../time/instant.ts';
import type { CredentialSource, Program } from './credentials.ts';
import { chooseContext } from './kubeconfig.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A machine with these files, whose programs print this. */
function machine(files: Record<string, string> = {}, prints: (run: number) => string = () => '') {
  const state = { now: noon, files, ran: [] as Program[] };
  const source: CredentialSource = {
    now: () => state.now,
    readFile: (path) => {
      const text = state.files[path];
      if (text === undefined) throw new Error(`ENOENT: ${path}`);
      return text;
    },
    run: async (program) => {
      state.ran.push(program);
      return prints(state.ran.length);
    },
  };
  const pass = (seconds: number): void => {
    state.now = after(state.now, asDuration(seconds * 1000));
  };
  return { state, source, pass };
}

const config = (user: string, cluster = 'server: https://10.0.0.1:6443') => ({
  path: '/home/me/.kube/config',
  text: `
apiVersion: v1
kind: Config
current-context: prod
contexts:
- {name: prod, context: {cluster: c, user: u, namespace: shop}}
- {name: bare, context: {cluster: c}}
- {name: lost, context: {cluster: nowhere, user: u}}
clusters:
- name: c
  cluster:
    ${cluster}
users:
- name: u
  user:
    ${user}
`,
});

describe('a context', () => {
  it('is the current one, or the one that is named', async () => {
    const { source } = machine();
    const files = [config('token: secret')];
    const chosen = chooseContext(files, source);
    expect(chosen).toMatchObject({ context: 'prod', namespace: 'shop' });
    expect(chosen.access.server.href).toBe('https://10.0.0.1:6443/');
    expect(await chosen.access.identify()).toEqual({ authorization: 'Bearer secret' });
    const bare = chooseContext(files, source, 'bare');
    expect(bare.namespace).toBeUndefined();
    expect(await bare.access.identify()).toEqual({});
  });

  it('may be spread over files, of which the first that knows a name counts', async () => {
    const { source } = machine();
    const first = { path: '/a', text: 'current-context: prod\nusers: [{name: u, user: {token: from-a}}]\n' };
    const chosen = chooseContext([first, config('token: from-b')], source);
    expect(await chosen.access.identify()).toEqual({ authorization: 'Bearer from-a' });
  });

  it.each([
    {
      name: 'a context that is not there',
      wanted: 'staging',
      says: 'There is no context "staging" in /home/me/.kube/config.',
    },
    { name: 'a cluster that is not there', wanted: 'lost', says: 'There is no cluster "nowhere"' },
  ])('K1: $name is reported', ({ wanted, says }) => {
    expect(() => chooseContext([config('token: x')], machine().source, wanted)).toThrow(says);
  });

  it.each([
    { name: 'no context', file: { path: '/k', text: 'kind: Config\n' }, says: 'No context is chosen in /k' },
    { name: 'no YAML', file: { path: '/k', text: 'a: [\n' }, says: '/k:' },
    { name: 'no map', file: { path: '/k', text: '- 1\n' }, says: '/k is not a kubeconfig' },
    { name: 'no server', file: config('token: x', 'server: ""'), says: "The cluster's server is not a valid URL" },
    {
      name: 'a proxy',
      file: config('token: x', 'server: https://a\n    proxy-url: socks5://b'),
      says: 'does not support proxies',
    },
    {
      name: 'a provider of old',
      file: config('auth-provider: {name: gcp}'),
      says: 'no longer supports the auth-provider gcp',
    },
    {
      name: 'a proxy that has a password, which is not repeated',
      file: config('token: x', 'server: https://a\n    proxy-url: http://me:pw@b'),
      says: /^The cluster has a proxy-url, and Lull does not support proxies. Remove it\.$/,
    },
    {
      name: 'a password in the address, which is not repeated',
      file: config('token: x', 'server: https://me:pw@a'),
      says: /^The cluster's server at a has a user or password/,
    },
    { name: 'a server of another protocol', file: config('token: x', 'server: ftp://a'), says: 'Use an https://' },
    {
      name: 'a certificate authority that is not to be looked at',
      file: config(
        'token: x',
        'server: https://a\n    certificate-authority-data: eA==\n    insecure-skip-tls-verify: true',
      ),
      says: 'Remove one of them',
    },
    {
      name: 'a check of certificates that is neither on nor off',
      file: config('token: x', 'server: https://a\n    insecure-skip-tls-verify: "yes"'),
      says: 'must be true or false: "yes"',
    },
    { name: 'a token and a password', file: config('token: x\n    password: pw'), says: 'Remove one of them' },
    {
      name: 'a certificate without its key',
      file: config(`client-certificate-data: ${base64('CERT')}`),
      says: 'has no key',
    },
    {
      name: 'a certificate that is not there',
      file: config('client-certificate: gone.pem'),
      says: 'ENOENT: /home/me/.kube/gone.pem',
    },
  ])('K1: a kubeconfig with $name is reported', ({ file, says }) => {
    expect(() => chooseContext([file], machine().source)).toThrow(says);
  });
});

describe('a server is known by', () => {
  it.each([
    { name: 'its data, which counts first', cluster: `certificate-authority-data: ${base64('CA')}`, tls: { ca: 'CA' } },
    { name: 'a file beside the kubeconfig', cluster: 'certificate-authority: ca.pem', tls: { ca: 'from a file' } },
    { name: 'another name', cluster: 'tls-server-name: api.test', tls: { servername: 'api.test' } },
    { name: 'nothing', cluster: 'insecure-skip-tls-verify: true', tls: { rejectUnauthorized: false } },
  ])('$name', ({ cluster, tls }) => {
    const { source } = machine({ '/home/me/.kube/ca.pem': 'from a file' });
    const file = config('token: x', `server: https://a\n    ${cluster}`);
    expect(chooseContext([file], source).access.tls).toEqual(tls);
  });
});

describe('a user is known by', () => {
  it.each([
    {
      name: 'a certificate',
      user: `client-certificate-data: ${base64('CERT')}\n    client-key-data: ${base64('KEY')}`,
      identity: { cert: 'CERT', key: 'KEY' },
    },
    {
      name: 'a password',
      user: 'username: me\n    password: pw',
      identity: { authorization: `Basic ${base64('me:pw')}` },
    },
    {
      name: 'a file, which counts before a token',
      user: 'tokenFile: t\n    token: old',
      identity: { authorization: 'Bearer fresh' },
    },
  ])('$name', async ({ user, identity }) => {
    const { source } = machine({ '/home/me/.kube/t': 'fresh\n' });
    expect(await chooseContext([config(user)], source).access.identify()).toEqual(identity);
  });

  it('a token file is read again after a minute, or after a 401', async () => {
    const { source, state, pass } = machine({ '/home/me/.kube/t': '1' });
    const { access } = chooseContext([config('tokenFile: t')], source);
    const token = async () => (await access.identify()).authorization;
    expect(await token()).toBe('Bearer 1');
    state.files['/home/me/.kube/t'] = '2';
    pass(59);
    expect(await token()).toBe('Bearer 1');
    pass(1);
    expect(await token()).toBe('Bearer 2');
    state.files['/home/me/.kube/t'] = '3';
    expect(access.forget()).toBe(true);
    expect(await token()).toBe('Bearer 3');
  });
});

describe('an exec plugin', () => {
  const exec = `exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [get-token, --cluster, c]
      env: [{name: PROFILE, value: ops}]
      provideClusterInfo: true`;
  const credential = (token: string, until?: string) =>
    JSON.stringify({ kind: 'ExecCredential', status: { token, ...(until && { expirationTimestamp: until }) } });

  it('gets its configuration, and that there is no terminal', async () => {
    const { source, state } = machine({}, () => credential('t'));
    await chooseContext([config(exec)], source).access.identify();
    const [ran] = state.ran;
    expect(ran).toMatchObject({
      command: './bin/login',
      args: ['get-token', '--cluster', 'c'],
      folder: '/home/me/.kube',
    });
    expect(ran?.env.PROFILE).toBe('ops');
    expect(JSON.parse(ran?.env.KUBERNETES_EXEC_INFO ?? '')).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://10.0.0.1:6443' } },
    });
  });

  it('is asked once, also by many at once, until shortly before its answer ends', async () => {
    const { source, state, pass } = machine({}, (run) => credential(`t${run}`, `2026-03-10T${12 + run}:00:00Z`));
    const { access } = chooseContext([config(exec)], source);
    const token = async () => (await access.identify()).authorization;
    expect(await Promise.all([token(), token(), token()])).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t1']);
    pass(3569);
    expect(await token()).toBe('Bearer t1');
    pass(1);
    expect(await token()).toBe('Bearer t2');
    expect(state.ran).toHaveLength(2);
  });

  it('runs again after a 401, or if its output was invalid', async () => {
    const { source } = machine({}, (run) => (run === 1 ? 'please log in' : credential(`t${run}`)));
    const { access } = chooseContext([config(exec)], source);
    await expect(access.identify()).rejects.toThrow();
    expect(await access.identify()).toEqual({ authorization: 'Bearer t2' });
    expect(access.forget()).toBe(true);
    expect(await access.identify()).toEqual({ authorization: 'Bearer t3' });
  });

  it('may answer with a certificate', async () => {
    const status = { clientCertificateData: 'CERT', clientKeyData: 'KEY' };
    const { source } = machine({}, () => JSON.stringify({ status }));
    expect(await chooseContext([config(exec)], source).access.identify()).toEqual({ cert: 'CERT', key: 'KEY' });
  });
});

describe('K7: no message repeats credentials', () => {
  it.each(['password: *hunter2', 'token: |hunter2', 'token: "hunter2', 'hunter2: 1, hunter2: 2', 'token: hunter2: 1'])(
    'of a file that is not YAML: %s',
    (user) => {
      const text = `users: [{name: u, user: {${user}}}]\n${user}\n`;
      const error = caught(() => chooseContext([{ path: '/k', text }], machine().source));
      expect(error).toMatch(/^\/k:\d+ This is not valid YAML/);
      expect(error).not.toContain('hunter2');
    },
  );

  it('of a server that is not a URL', () => {
    const wrong = config('{}', 'server: "https://me:hunter2@api.test:99999"');
    expect(caught(() => chooseContext([wrong], machine().source))).toMatch(/is not a valid URL: …@api\.test:99999$/);
  });

  it.each(['hunter2', '{"status":{"token":"hunter2" oops}}', '{"status":{"token":"hunter2"'])(
    'of a program that prints something else: %s',
    async (printed) => {
      const { source } = machine();
      const exec = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: login}';
      const { access } = chooseContext([config(exec)], { ...source, run: async () => printed });
      const error = await access.identify().then(String, String);
      expect(error).toBe('Error: login did not print JSON. It must print an ExecCredential.');
    },
  );
});

function caught(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('over http:// credentials', () => {
  const users = [
    'token: secret',
    'tokenFile: t',
    'username: me\n    password: secret',
    `client-certificate-data: ${base64('CERT')}\n    client-key-data: ${base64('KEY')}`,
    'exec: {apiVersion: client.authentication.k8s.io/v1, command: login}',
  ];

  it.each(users)('K7: are refused before they are read, with what to write: %s', (user) => {
    const { source, state } = machine();
    const at = (server: string) => () => chooseContext([config(user, `server: ${server}`)], source);
    for (const server of ['http://10.0.0.1:8080', 'http://api.test', 'http://127.0.0.1.evil.test', 'http://[::2]'])
      expect(at(server), server).toThrow(
        /The credentials of user "u" are not sent to http:.* Use an https:\/\/ address/,
      );
    expect(state.ran).toEqual([]);
  });

  it.each(['http://127.0.0.1:8001', 'http://localhost:8001', 'http://[::1]:8001', 'http://127.1'])(
    'K7: are sent where they do not leave the machine: %s',
    async (server) => {
      const { access } = chooseContext([config('token: secret', `server: ${server}`)], machine().source);
      expect(await access.identify()).toEqual({ authorization: 'Bearer secret' });
    },
  );

  it('K7: are not needed: a server without any may be anywhere', () => {
    const { access } = chooseContext([config('{}', 'server: http://10.0.0.1:8080')], machine().source);
    expect(access.server.href).toBe('http://10.0.0.1:8080/');
  });
});

describe('impersonation', () => {
  const actsAs = (user: string) =>
    chooseContext([config(`token: x\n    ${user.replaceAll('\n', '\n    ')}`)], machine().source).access.actsAs;

  it('K7: is read with groups, uid and extra', () => {
    expect(
      actsAs('as: jane\nas-uid: "7"\nas-groups: [ops, dev]\nas-user-extra: {acme.com/scope: [a, b], none: []}'),
    ).toEqual({
      user: 'jane',
      uid: '7',
      groups: ['ops', 'dev'],
      extra: { 'acme.com/scope': ['a', 'b'] },
    });
    expect(actsAs('as: jane')).toEqual({ user: 'jane', groups: [], extra: {} });
    expect(actsAs('as: ""\nas-groups: []')).toBeUndefined();
  });

  it.each([
    { user: 'as-groups: [ops]', says: 'but no user to act as. Add `as: NAME`' },
    { user: 'as-uid: "7"', says: 'but no user to act as' },
    { user: 'as-user-extra: {a: [b]}', says: 'but no user to act as' },
    { user: 'as: 7', says: "The user's as is not text: 7" },
    { user: 'as: jane\nas-groups: ops', says: 'as-groups is not a list: "ops"' },
    { user: 'as: jane\nas-groups: [""]', says: 'as-groups has an empty entry' },
    { user: 'as: jane\nas-user-extra: [a]', says: 'as-user-extra is not a map' },
    { user: 'as: "jane\\r\\nImpersonate-Group: system:masters"', says: 'cannot be sent as a header' },
    { user: 'as: " jane"', says: 'without spaces around it' },
    { user: 'as: jane\nas_groups: [ops]', says: 'Unknown field "as_groups" of the user' },
    { user: 'impersonate: jane', says: 'Unknown field "impersonate" of the user' },
  ])('K7: invalid fields are an error: $user', ({ user, says }) => {
    expect(() => actsAs(user)).toThrow(says);
  });
});
