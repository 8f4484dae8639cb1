// Which ports of its node does a pod take? Those of containers and sidecars: what runs once and ends takes none for the scheduler.
import type { HostPort } from '../cluster/scheduling.ts';
import { isMap, type Json, type Reader } from './reader.ts';

const noPorts: readonly HostPort[] = [];
const highestPort = 65_535;

export function readHostPorts(spec: Reader): readonly HostPort[] {
  const onHost = spec.boolean('hostNetwork') === true;
  if (!takesAny(spec, 'containers', onHost) && !takesAny(spec, 'initContainers', onHost)) return noPorts;
  const sidecars = spec.maps('initContainers').filter((container) => container.text('restartPolicy') === 'Always');
  const ports = [...spec.maps('containers'), ...sidecars].flatMap((container) =>
    container.maps('ports').map((port) => readPort(port, onHost)),
  );
  return ports.filter((port) => port !== undefined);
}

/** The API server gives each port of a pod on its host's network the same port of the host. */
function readPort(port: Reader, onHost: boolean): HostPort | undefined {
  const number =
    port.whole('hostPort', 0, highestPort) || (onHost ? port.whole('containerPort', 0, highestPort) : undefined);
  const ip = port.text('hostIP') ?? '';
  const protocol = port.text('protocol') || 'TCP';
  return number ? { ip: ip === '0.0.0.0' ? '' : ip, protocol, port: number } : undefined;
}

/** Looked at without a reader: hardly any pod takes one. */
function takesAny(spec: Reader, key: string, onHost: boolean): boolean {
  const containers = spec.raw(key);
  if (!Array.isArray(containers)) return false;
  return containers.some((container) => {
    const ports: unknown = isMap(container) ? (container as Json).ports : undefined;
    // Not a list = let the reader say so.
    if (!Array.isArray(ports)) return ports !== undefined && ports !== null;
    return ports.some((port) => onHost || !isMap(port) || (port.hostPort !== undefined && port.hostPort !== null));
  });
}
