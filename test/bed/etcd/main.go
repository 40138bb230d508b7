// etcd as its own module: its versions must not bend to those that kube-apiserver's client asks for.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
