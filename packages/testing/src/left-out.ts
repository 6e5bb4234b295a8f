/**
 * Says that a suite is left out because this machine cannot have what it needs, and returns false for `describe.runIf`.
 * Throws instead when `TIDINGS_TEST_REQUIRE` (a comma list) names the suite: what must run may not be missing quietly.
 */
export function leftOut(suite: string, reason: string, env: Readonly<Record<string, string | undefined>> = process.env): false {
  const sentence = `The ${suite} tests are left out: ${reason}`
  if (isRequired(suite, env)) throw new Error(`${sentence} TIDINGS_TEST_REQUIRE asks for them.`)
  process.stderr.write(`${sentence}\n`)
  return false
}

/** Whether `TIDINGS_TEST_REQUIRE` names the suite. */
export function isRequired(suite: string, env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return (env.TIDINGS_TEST_REQUIRE ?? '').split(',').some((name) => name.trim() === suite)
}
