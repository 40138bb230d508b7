# shellcheck shell=bash
# Certificates, tokens and kubeconfigs of a bed, all written below its pki/ and token/.
#
# Three authorities, so that a wrong certificate is refused as it would be in a cluster: `ca` for everything that speaks to
# kube-apiserver, `front-proxy-ca` for the aggregation layer, `etcd-ca` for etcd. As every bed has its own, a component that finds
# another bed behind a port it believed to be its own is refused instead of mixing two clusters up.

# Creates key and certificate $2 in folder $1; the rest goes to `openssl req`.
certificate() {
  local pki=$1 name=$2
  shift 2
  # A configuration of our own: the system's may be missing, and adds "this is an authority" to every certificate.
  openssl req -config <(printf '[req]\ndistinguished_name = dn\nprompt = no\n[dn]\n') -x509 -days 3650 \
    -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/$name.key" -out "$pki/$name.crt" \
    -addext subjectKeyIdentifier=hash "$@" 2>"$pki/openssl.log" ||
    die "openssl could not make the certificate $name: $(tail -n 1 "$pki/openssl.log")"
}

authority() {  # folder, name
  certificate "$1" "$2" -subj "/CN=drover bed $2" -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
}

signed() {  # folder, name, authority, subject, then further arguments
  local pki=$1 name=$2 ca=$3 subject=$4
  shift 4
  certificate "$pki" "$name" -CA "$pki/$ca.crt" -CAkey "$pki/$ca.key" -subj "$subject" \
    -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature \
    -addext authorityKeyIdentifier=keyid "$@"
}

# A certificate of something that listens on this machine's loopback, and one of something that calls.
# The server's further names are its fifth argument.
server() { signed "${@:1:4}" -addext extendedKeyUsage=serverAuth -addext "subjectAltName=$loopback${5:+,$5}"; }
client() { signed "$@" -addext extendedKeyUsage=clientAuth; }
loopback=IP:127.0.0.1,DNS:localhost

make_certificates() {
  local pki=$1 service=kubernetes.default.svc
  authority "$pki" ca
  authority "$pki" front-proxy-ca
  authority "$pki" etcd-ca

  # etcd calls itself with its own certificate, so that one is both server and client.
  signed "$pki" etcd etcd-ca /CN=etcd -addext extendedKeyUsage=serverAuth,clientAuth -addext subjectAltName=$loopback
  client "$pki" etcd-client etcd-ca /CN=kube-apiserver

  client "$pki" admin ca /O=system:masters/CN=bed-admin
  client "$pki" kube-controller-manager ca /CN=system:kube-controller-manager
  client "$pki" kube-scheduler ca /CN=system:kube-scheduler
  client "$pki" front-proxy-client front-proxy-ca /CN=front-proxy-client

  # What kube-apiserver shows to kubelets, and what a simulated kubelet on 127.0.0.1 may show to kube-apiserver.
  client "$pki" kubelet-client ca /O=system:masters/CN=kube-apiserver-kubelet-client
  server "$pki" kubelet ca /O=system:nodes/CN=kubelet

  server "$pki" serving ca /CN=kube-apiserver \
    "IP:10.96.0.1,DNS:kubernetes,DNS:kubernetes.default,DNS:$service,DNS:$service.cluster.local"

  openssl ecparam -name prime256v1 -genkey -noout -out "$pki/service-account.key"
  openssl pkey -in "$pki/service-account.key" -pubout -out "$pki/service-account.pub"
}

# Two static tokens: admin may do everything, guest is a known user without any right.
make_tokens() {
  local bed=$1 user group
  for user in admin guest; do
    openssl rand -hex 16 >"$bed/token/$user"
    group=bed:people
    [[ $user = admin ]] && group=system:masters
    echo "$(<"$bed/token/$user"),$user,$user,\"$group\""
  done >"$bed/pki/tokens.csv"
}

# Prints a kubeconfig for bed $1 that speaks with the certificate $2.
kubeconfig() {
  local bed=$1 user=$2
  in_base64() { base64 -w0 "$bed/pki/$1"; }
  cat <<END
apiVersion: v1
kind: Config
current-context: bed
clusters:
- name: bed
  cluster:
    server: https://127.0.0.1:$(port_of "$bed" kube-apiserver)
    certificate-authority-data: $(in_base64 ca.crt)
users:
- name: $user
  user:
    client-certificate-data: $(in_base64 "$user.crt")
    client-key-data: $(in_base64 "$user.key")
contexts:
- name: bed
  context:
    cluster: bed
    user: $user
END
}
