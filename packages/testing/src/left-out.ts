/** The suites that a machine may lack, by what they need. Every other suite runs everywhere. */
const SUITES = {
  kafka: 'a Kafka broker: Java and Maven, Docker, or TIDINGS_TEST_KAFKA',
  'eventstoredb-docker': 'the real EventStoreDB, from Docker',
  jsmpp: 'the SMSC simulator of jSMPP: Java and Maven',
  greenmail: 'the mail server GreenMail: Java and Maven',
  'deploy-linters': 'the linters of deploy/',
  python: 'python3',
  'python-client': 'openapi-python-client: test/docs/python-client/install.sh',
  'ordinary-user': 'root, who may make an account: useradd, userdel, setpriv',
  'full-disk': 'a user who may mount a tmpfs',
  browser: 'Chromium: the package `chromium` of Debian',
  looks: 'Linux, and Chromium',
} as const

export type Suite = keyof typeof SUITES

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Says that a suite is left out because this machine cannot have what it needs, and returns false for `describe.runIf`.
 * Throws instead when `TIDINGS_TEST_REQUIRE` (a comma list) names the suite: what must run may not be missing quietly.
 */
export function leftOut(suite: Suite, reason: string, env: Environment = process.env): false {
  const sentence = `The ${suite} tests are left out: ${reason}`
  if (isRequired(suite, env)) throw new Error(`${sentence} TIDINGS_TEST_REQUIRE asks for them.`)
  process.stderr.write(`${sentence}\n`)
  return false
}

/** Whether `TIDINGS_TEST_REQUIRE` names the suite. */
export function isRequired(suite: Suite, env: Environment = process.env): boolean {
  return requiredNames(env).includes(suite)
}

/** Throws where `TIDINGS_TEST_REQUIRE` names what does not exist: it would require nothing. */
export function checkRequired(env: Environment = process.env): void {
  const unknown = requiredNames(env).find((name) => !Object.hasOwn(SUITES, name))
  if (unknown === undefined) return
  const known = Object.entries(SUITES).map(([name, needs]) => `${name} (${needs})`)
  throw new Error(`TIDINGS_TEST_REQUIRE names ${unknown}, which no machine can lack. There are: ${known.join('; ')}.`)
}

const requiredNames = (env: Environment): readonly string[] =>
  (env.TIDINGS_TEST_REQUIRE ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
