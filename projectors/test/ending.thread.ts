// A thread that dies before it has built its part.
process.exit(7)
