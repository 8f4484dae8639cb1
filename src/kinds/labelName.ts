// Could this be a label? Names and values as Kubernetes admits them.

const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const maxPrefix = 253;

/** `name` or `prefix/name`. */
export function isLabelName(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return name.test(text);
  const prefix = text.slice(0, slash);
  return prefix.length <= maxPrefix && subdomain.test(prefix) && name.test(text.slice(slash + 1));
}

export const isLabelValue = (text: string): boolean => text === '' || name.test(text);
