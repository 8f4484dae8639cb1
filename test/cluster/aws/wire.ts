// Requests to the fake AWS in the protocols of its services: the query protocol with XML answers (EC2, IAM) and JSON (SSM, SQS, EKS).

export const region = 'us-east-1';

/** An element of an XML answer. Attributes are ignored: AWS uses none. */
export interface Element {
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

export interface Wire {
  query(service: 'ec2' | 'iam', action: string, parameters: Readonly<Record<string, string>>): Promise<Element>;
  json(service: 'ssm' | 'sqs', target: string, body: object): Promise<Readonly<Record<string, unknown>>>;
  /** EKS uses paths instead of targets. */
  post(service: 'eks', path: string, body: object): Promise<void>;
}

const versions = { ec2: '2016-11-15', iam: '2010-05-08' } as const;
const contentTypes = { ssm: 'application/x-amz-json-1.1', sqs: 'application/x-amz-json-1.0' } as const;

export function openWire(endpoint: string): Wire {
  async function send(service: string, path: string, init: RequestInit): Promise<string> {
    // Moto finds the service in the scope of the credential and does not check the signature.
    const credential = `Credential=test/20260101/${region}/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=0`;
    const headers = { ...init.headers, authorization };
    const response = await fetch(endpoint + path, { method: 'POST', ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${service} ${init.body}: ${response.status} ${text}`);
    return text;
  }

  return {
    query: async (service, action, parameters) => {
      const body = new URLSearchParams({ Action: action, Version: versions[service], ...parameters }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return readXml(await send(service, '/', { headers, body }));
    },
    json: async (service, target, body) => {
      const headers = { 'content-type': contentTypes[service], 'x-amz-target': target };
      return JSON.parse((await send(service, '/', { headers, body: JSON.stringify(body) })) || '{}');
    },
    post: async (service, path, body) => {
      const headers = { 'content-type': 'application/json' };
      await send(service, path, { headers, body: JSON.stringify(body) });
    },
  };
}

/** The root element. */
export function readXml(text: string): Element {
  interface Open {
    readonly name: string;
    readonly children: Element[];
    text: string;
  }
  const document: Open = { name: '', children: [], text: '' };
  const open = [document];
  for (const [, closing, name, empty, words] of text.matchAll(/<(\/?)([\w:.-]+)[^>]*?(\/?)>|([^<]+)|<[?!][^>]*>/g)) {
    const last = open.at(-1) ?? document;
    if (words !== undefined) last.text += words;
    if (name === undefined) continue;
    if (closing) {
      last.text = plain(last.text.trim());
      open.pop();
      continue;
    }
    const element: Open = { name, children: [], text: '' };
    last.children.push(element);
    if (!empty) open.push(element);
  }
  const [root] = document.children;
  if (!root) throw new Error(`This is not XML: ${text.slice(0, 200)}`);
  return root;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code ? String.fromCodePoint(Number(code)) : (entities[name] ?? whole),
  );

function childOf(element: Element, ...path: readonly string[]): Element | undefined {
  let found: Element | undefined = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** Empty if there is no such element. */
export const textOf = (element: Element, ...path: readonly string[]): string => childOf(element, ...path)?.text ?? '';

/** EC2 wraps the entries of a list in `item`. */
export const itemsOf = (element: Element, ...path: readonly string[]): readonly Element[] =>
  childOf(element, ...path)?.children.filter(({ name }) => name === 'item') ?? [];
