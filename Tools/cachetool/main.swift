print("cachetool")
