// A thread that takes more memory than it is allowed.
const kept: string[] = []
for (;;) kept.push(`${kept.length} `.repeat(100))
