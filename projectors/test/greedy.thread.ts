// A thread that takes more memory than it is allowed: 8 MB at a time.
const kept: number[][] = []
for (;;) kept.push(new Array<number>(1_000_000).fill(0))
