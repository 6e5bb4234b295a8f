import ts from 'typescript'
import type { Finding } from './find-words.ts'
import { lineOf, parse } from './source.ts'

const OF_TESTS = /\.(test|testing)\.ts$|\/(test|testing|contract)\/|^test\/(e2e|chaos|docs|deploy|search|stack)\//
const LONG_ENOUGH_MS = 60_000
const WORTH_PARSING =
  /^(before|after)(All|Each)\(|\bcreate(Follower|Pool)\(|\bpostgresEventStore\(|vi\.(wait(For|Until)|runAllTimers|getTimerCount)|from pg_(stat_activity|locks)\b|\btimeout: |, [\d_]+\)$|\/[0-9a-f]{1,6}\/[a-z]*\b|\/[0-9a-f]{1,6}\/[),.]|not\.toContain\(['"][0-9a-f]{1,6}['"]\)/m

/** A wait of Vitest's own that ends early, as it does by itself after a second: a machine that is busy takes longer. */
const isShortWait = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (!ts.isCallExpression(node) || !/^vi\.wait(For|Until)$/.test(node.expression.getText(source))) return false
  const timeout = /\btimeout: ([\w.]+)/.exec(node.arguments[1]?.getText(source) ?? '')?.[1]
  return timeout === undefined || Number(timeout.replaceAll('_', '')) < LONG_ENOUGH_MS
}

const msOf = (node: ts.Node | undefined): number =>
  node !== undefined && ts.isNumericLiteral(node) ? Number(node.text.replaceAll('_', '')) : Number.POSITIVE_INFINITY

/** What Vitest calls, or asks again and again, and for how long at most. */
const LIMITED = /^(?:it|test|describe|beforeAll|beforeEach|afterAll|afterEach|onTestFinished|expect\.poll)\b/

/** A limit of a test, a hook or a poll that is shorter than the one which all have without it. */
const isShortLimit = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (!ts.isCallExpression(node) || !LIMITED.test(node.expression.getText(source))) return false
  const named = node.arguments.flatMap((argument) => (ts.isObjectLiteralExpression(argument) ? argument.properties : []))
  const timeouts = named.flatMap((one) => (ts.isPropertyAssignment(one) && one.name.getText(source) === 'timeout' ? [one.initializer] : []))
  return [node.arguments.length > 1 ? node.arguments.at(-1) : undefined, ...timeouts].some((limit) => msOf(limit) < LONG_ENOUGH_MS)
}

/** A hook that a module of several files registers as it is loaded: files share a process, and only the first of them loads it. */
const isHookOfFirstFile = (node: ts.Node, file: string, source: ts.SourceFile): boolean =>
  !/\.test\.ts$/.test(file) &&
  source.statements.some((statement) => statement === node) &&
  /^(?:before|after)(?:All|Each)\(/.test(node.getText(source))

/** All timers of a process, where those of what other files left there are among them. */
const isOfAllTimers = (node: ts.Node, source: ts.SourceFile): boolean =>
  ts.isCallExpression(node) && /^vi\.runAllTimers|^expect\(vi\.getTimerCount\(\)\)\.(toBe|toEqual)$/.test(node.expression.getText(source))

/** A pattern, or a word that a text may not have, which some digits of an id, a port or a time are by chance. */
const isOfFewDigits = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (ts.isRegularExpressionLiteral(node)) return /^\/[0-9a-f]{1,6}\/[a-z]*$/.test(node.text)
  if (!ts.isCallExpression(node) || !/\.not\.toContain$/.test(node.expression.getText(source))) return false
  const [word] = node.arguments
  return word !== undefined && ts.isStringLiteralLike(word) && /^(?=.*[a-f])[0-9a-f]{1,6}$/.test(word.text)
}

/** SQL about the whole server, which every test file of a run shares. */
const isOfWholeServer = (node: ts.Node, source: ts.SourceFile): boolean => {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false
  const text = node.getText(source)
  return /\bfrom pg_(stat_activity|locks)\b/.test(text) && !/\bdatname\b|\bpid = |\(a\.pid\)|\busename\b/.test(text)
}

/** A follower that is not caught up once its process has stood still for a second: what is asked at once, and not again and again, has no answer then. */
const isOfRealClock = (node: ts.Node, file: string, source: ts.SourceFile): boolean => {
  if (!/(?<!\.(?:int|e2e))\.test\.ts$/.test(file) || !ts.isCallExpression(node) || node.expression.getText(source) !== 'createFollower')
    return false
  const [options] = node.arguments
  return (
    options !== undefined && ts.isObjectLiteralExpression(options) && !options.properties.some((one) => one.name?.getText(source) === 'now')
  )
}

/** What has an own look at the pools of a service, and where the pool of tests is made. */
const OF_POOLS = /^packages\/(postgres|testing)\//

/** A pool of a service, whose queries fail where a machine that stands still has no connection for them within five seconds. */
const isImpatientPool = (node: ts.Node, file: string, source: ts.SourceFile): boolean =>
  /\.(int|e2e)\.test\.ts$|\.testing\.ts$/.test(file) &&
  !OF_POOLS.test(file) &&
  ts.isCallExpression(node) &&
  node.expression.getText(source) === 'createPool'

/** A store of a service, whose appends fail where a machine that stands still answers none within six seconds. */
const isImpatientStore = (node: ts.Node, file: string, source: ts.SourceFile): boolean => {
  if (!/\.(int|e2e)\.test\.ts$|\.testing\.ts$/.test(file)) return false
  if (!ts.isCallExpression(node) || node.expression.getText(source) !== 'postgresEventStore') return false
  const [options] = node.arguments
  return (
    options !== undefined &&
    ts.isObjectLiteralExpression(options) &&
    !options.properties.some((one) => one.name?.getText(source) === 'appendDeadlineMs')
  )
}

/** Where a test, or what tests are made with, would fail on a busy machine or meddle with the tests beside it. */
export function findTestIdioms(file: string, text: string): Finding[] {
  return [...astray(file), ...unsound(file, text)]
}

/** What only tests load, among what ships. */
const astray = (file: string): Finding[] =>
  /(^|\/)src\/(.*\.(test|testing)\.ts$|(.*\/)?testing\/)/.test(file)
    ? [{ file, line: 1, message: 'a test stands in the folder `test` of its part, in the same folders as in `src`' }]
    : []

const unsound = (file: string, text: string): Finding[] => {
  if (!OF_TESTS.test(file) || file.startsWith('test/style/') || !WORTH_PARSING.test(text)) return []
  const source = parse(file, text)
  const found: Finding[] = []
  const walk = (node: ts.Node): void => {
    const line = lineOf(source, node)
    if (isShortWait(node, source))
      found.push({ file, line, message: 'a test waits with `until` of @tidings/testing, or for 60 s at least' })
    if (isOfWholeServer(node, source))
      found.push({ file, line, message: 'a test asks Postgres about its own database: and datname = current_database()' })
    if (isShortLimit(node, source)) found.push({ file, line, message: 'a test ends after 60 s at least, and so does a hook or a poll' })
    if (isHookOfFirstFile(node, file, source))
      found.push({ file, line, message: 'a hook of what several files load is registered by a function of it, or is onTestFinished' })
    if (isOfAllTimers(node, source))
      found.push({ file, line, message: 'files share a process and its timers: advance by a time, and count from what was there' })
    if (isOfRealClock(node, file, source))
      found.push({ file, line, message: 'a test gives what it follows the log with a clock of its own: now: () => 0' })
    if (isImpatientPool(node, file, source)) found.push({ file, line, message: 'the pool of a test is patientPool of @tidings/testing' })
    if (isImpatientStore(node, file, source))
      found.push({ file, line, message: 'the store of a test says how long an append may wait: appendDeadlineMs: PATIENT_MS' })
    if (isOfFewDigits(node, source))
      found.push({ file, line, message: 'a pattern of six digits or fewer stands in an id by chance: write what is around them' })
    ts.forEachChild(node, walk)
  }
  walk(source)
  return found
}
