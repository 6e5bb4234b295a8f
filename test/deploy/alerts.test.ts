import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { metrics } from '../docs/generated/metrics.ts'
import { DEPLOY, linter } from './tools.ts'

type Rule = Readonly<{ alert: string; expr: string; annotations: Readonly<{ summary: string }> }>
type Alerts = Readonly<{ groups: readonly Readonly<{ rules: readonly Rule[] }>[] }>
type Dashboard = Readonly<{ panels: readonly Readonly<{ title: string; targets: readonly Readonly<{ expr: string }>[] }>[] }>

const alerts = (): Alerts => parse(readFileSync(`${DEPLOY}alerts.yml`, 'utf8'))
const dashboard = (): Dashboard => JSON.parse(readFileSync(`${DEPLOY}dashboard.grafana.json`, 'utf8'))

/** What the sources declare: `test/e2e/admin-port.e2e.test.ts` and others ask a running service for some of them. */
const served = new Set([...metrics().matchAll(/`(\w+)`/g)].map(([, name = '']) => name))

/** A histogram is served as three series. */
const metricOf = (series: string): string => (served.has(series) ? series : series.replace(/_(bucket|sum|count)$/, ''))

const rules = alerts().groups.flatMap((group) => group.rules)
const panels = dashboard().panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ alert: title, expr })))

it.each([...rules, ...panels])('$alert asks for metrics that are served', ({ expr }) => {
  const named = [...expr.matchAll(/\b(?:tidings|http|process|nodejs)_\w+/g)].map(([name]) => metricOf(name))
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !served.has(name))).toEqual([])
})

it('each alert has a name of its own, and says what is wrong', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  expect(rules.filter(({ annotations }) => annotations.summary.length < 20)).toEqual([])
})

it('the page of a bad day names every alert', () => {
  const page = readFileSync(`${DEPLOY}../docs/how-to/a-bad-day.md`, 'utf8')
  expect(rules.filter(({ alert }) => !page.includes(`\`${alert}\``)).map(({ alert }) => alert)).toEqual([])
})

const promtool = linter('promtool')

it.runIf(promtool !== null)('promtool takes the alerts', () => {
  expect(execFileSync(promtool ?? '', ['check', 'rules', `${DEPLOY}alerts.yml`], { encoding: 'utf8' })).toContain('SUCCESS')
})
