import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { metrics } from '../docs/generated/metrics.ts'
import { DEPLOY, linter } from './tools.ts'

type Rule = Readonly<{ alert: string; expr: string; annotations: Readonly<{ summary: string }> }>
type Alerts = Readonly<{ groups: readonly Readonly<{ rules: readonly Rule[] }>[] }>
type Dashboard = Readonly<{ panels: readonly Readonly<{ title: string; targets: readonly Readonly<{ expr: string }>[] }>[] }>

const alerts = (): Alerts => parse(readFileSync(`${DEPLOY}monitoring/alerts.yml`, 'utf8'))
const dashboard = (): Dashboard => JSON.parse(readFileSync(`${DEPLOY}monitoring/dashboard.grafana.json`, 'utf8'))

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
  expect(execFileSync(promtool ?? '', ['check', 'rules', `${DEPLOY}monitoring/alerts.yml`], { encoding: 'utf8' })).toContain('SUCCESS')
})

// A process that is gone serves no lag: the lag of none cannot be too high.
it.runIf(promtool !== null)('a role that no process has is an alert, and one that a process has is none', () => {
  const summary = (name: string) => rules.find(({ alert }) => alert === name)?.annotations.summary
  const fires = (alertname: string, role: string) => ({
    ...{ eval_time: '5m', alertname },
    exp_alerts: [{ exp_labels: { severity: 'page', role }, exp_annotations: { summary: summary(alertname) } }],
  })
  const silent = (alertname: string) => ({ eval_time: '5m', alertname, exp_alerts: [] })
  const series = (role: string) => ({ series: `tidings_role{role="${role}",instance="a"}`, values: '1x10' })
  const tests = [
    { input_series: [series('projectors')], alert_rule_test: [silent('TidingsNoProjectors'), fires('TidingsNoConsumers', 'consumers')] },
    { input_series: [series('consumers')], alert_rule_test: [silent('TidingsNoConsumers'), fires('TidingsNoProjectors', 'projectors')] },
  ]
  const file = join(mkdtempSync(join(tmpdir(), 'alerts-')), 'tests.json')
  writeFileSync(file, JSON.stringify({ rule_files: [realpathSync(`${DEPLOY}monitoring/alerts.yml`)], evaluation_interval: '1m', tests }))
  expect(execFileSync(promtool ?? '', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS')
})
