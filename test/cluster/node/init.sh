#!/bin/sh
# The first process of a real node, in PID, mount and network namespaces of its own: whatever it and its pods mount, route or
# filter ends with it. node.ts sets FOLDER, NAME, ADDRESS, GATEWAY, BIN and DAEMONS (the cgroups that hold the daemons).
set -eu

for procs in $DAEMONS; do echo 0 >"$procs"; done

# What programs write at fixed paths stays in here.
for place in /run /var/lib /var/log; do mount -t tmpfs tmpfs "$place"; done

# The kubelet insists on these values and would set them for the whole machine: it reads them here instead.
mkdir /run/tunables
for pair in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  file="/run/tunables/$(echo "${pair%=*}" | tr / -)"
  echo "${pair#*=}" >"$file"
  mount --bind "$file" "/proc/sys/${pair%=*}"
done

# node.ts moves one end of a veth pair in here.
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip link set lo up
ip address add "$ADDRESS/30" dev eth0
ip link set eth0 up
ip route add default via "$GATEWAY"
echo 1 >/proc/sys/net/ipv4/ip_forward

containerd --config "$FOLDER/containerd.toml" >"$FOLDER/containerd.log" 2>&1 &
until ctr version >/dev/null 2>&1; do sleep 0.1; done
for archive in "$FOLDER"/images/*.tar; do ctr --namespace k8s.io images import "$archive"; done

"$BIN/kubelet" --config="$FOLDER/kubelet.json" --kubeconfig="$FOLDER/kubelet.kubeconfig" \
  --hostname-override="$NAME" --node-ip="$ADDRESS" >"$FOLDER/kubelet.log" 2>&1 &
"$BIN/kube-proxy" --kubeconfig="$FOLDER/kube-proxy.kubeconfig" --hostname-override="$NAME" --proxy-mode=iptables \
  --conntrack-max-per-core=0 --conntrack-min=0 --conntrack-tcp-timeout-established=0s \
  --conntrack-tcp-timeout-close-wait=0s --metrics-bind-address=127.0.0.1:10249 --healthz-bind-address=127.0.0.1:10256 \
  >"$FOLDER/kube-proxy.log" 2>&1 &
wait
