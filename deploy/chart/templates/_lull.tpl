{{- /* The names are fixed, and the same as those of `lull install`: a cluster has one ledger, so it has one Lull. */ -}}
{{- define "lull.labels" -}}
app.kubernetes.io/name: lull
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "lull.selector" -}}
app.kubernetes.io/name: lull
app.kubernetes.io/component: controller
{{- end -}}

{{- /* Empty if no image is set: then nothing runs. */ -}}
{{- define "lull.image" -}}
{{- with .Values.image -}}
{{- if .repository -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lull.tokenSecret" -}}
{{ .Values.server.tokenSecret | default "lull-token" }}
{{- end -}}

{{- /* A Secret of your own that was created for an older chart may have only the key `token`. */ -}}
{{- define "lull.readTokenKey" -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace (include "lull.tokenSecret" .) -}}
{{- if and .Values.server.tokenSecret $found (not (hasKey ($found.data | default dict) "read-token")) -}}
token
{{- else -}}
read-token
{{- end -}}
{{- end -}}

{{- /* Empty = plain HTTP. Values of an older chart do not have the key. */ -}}
{{- define "lull.tlsSecret" -}}
{{ (.Values.server.tls).secret }}
{{- end -}}

{{- define "lull.settings" -}}
{{- range $key, $value := .Values.settings }}
{{- if not (kindIs "invalid" $value) }}
{{ dict $key $value | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "lull.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "lull.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "lull.affinity" -}}
nodeAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 50
      preference:
        matchExpressions:
          - { key: karpenter.sh/nodepool, operator: DoesNotExist }
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "lull.selector" . | nindent 12 }}
    - weight: 50
      podAffinityTerm:
        topologyKey: topology.kubernetes.io/zone
        labelSelector:
          matchLabels:
            {{- include "lull.selector" . | nindent 12 }}
{{- end -}}

{{- /* The pod of a release job, with its account and arguments. */ -}}
{{- define "lull.releasePod" -}}
metadata:
  labels:
    {{- include "lull.labels" .top | nindent 4 }}
spec:
  serviceAccountName: lull-release
  automountServiceAccountToken: true
  restartPolicy: Never
  securityContext:
    {{- include "lull.podSecurity" .top | nindent 4 }}
  {{- with .top.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .top.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .top.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: release
      image: {{ include "lull.image" .top }}
      imagePullPolicy: {{ .top.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      resources:
        requests: { cpu: 50m, memory: 256Mi }
        limits: { memory: 2Gi }
      securityContext:
        {{- include "lull.containerSecurity" .top | nindent 8 }}
{{- end -}}

{{- /* The RBAC roles of one account: cluster-wide, and in its own namespace. */ -}}
{{- define "lull.rights" -}}
{{- $rights := .top.Files.Get (printf "files/rights/%s.yaml" .duty) | fromYaml -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .account }}
  labels:
    {{- include "lull.labels" .top | nindent 4 }}
rules:
  {{- toYaml $rights.everywhere | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .account }}
  labels:
    {{- include "lull.labels" .top | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .account }}
subjects:
  - kind: ServiceAccount
    name: {{ .account }}
    namespace: {{ .top.Release.Namespace }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .account }}
  namespace: {{ .top.Release.Namespace }}
  labels:
    {{- include "lull.labels" .top | nindent 4 }}
rules:
  {{- toYaml $rights.here | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .account }}
  namespace: {{ .top.Release.Namespace }}
  labels:
    {{- include "lull.labels" .top | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .account }}
subjects:
  - kind: ServiceAccount
    name: {{ .account }}
    namespace: {{ .top.Release.Namespace }}
{{- end -}}
