import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadConfig } from '@tidings/config'
import { createAdminApp } from '@tidings/http'
import { ROLES } from '@tidings/service'
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js'
import type { Job } from 'kubernetes-types/batch/v1.js'
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { metrics } from '../docs/generated/metrics.ts'
import { readPage } from '../docs/markdown.ts'
import { typeErrorsOf } from '../e2e/support/type-errors.ts'
import { service } from './compose-file.ts'
import {
  containerOf,
  kubectl,
  type Manifest,
  type Manifests,
  type Overlay,
  podOf,
  render,
  renderOverlay,
  secretsOfPage,
  yamlOfPage,
} from './manifests.ts'
import { DEPLOY, ROOT } from './tools.ts'

const NAME = 'app.kubernetes.io/name'
const nameOf = ({ metadata }: Readonly<{ metadata?: Readonly<{ name?: string }> }>): string => metadata?.name ?? ''
const labelsOf = (workload: Deployment | Job | StatefulSet) => podOf(workload).metadata?.labels ?? {}

const rolesOf = ({ of }: Manifests) => of('Deployment').filter((one) => labelsOf(one)[NAME] === 'tidings')
const workloadsOf = ({ of }: Manifests) => [...of('Deployment'), ...of('StatefulSet'), ...of('Job')]
const portOf = (workload: Deployment | StatefulSet, port: unknown) =>
  containerOf(workload).ports?.find(({ name, containerPort }) => name === port || containerPort === port)?.containerPort

const TYPED = `${ROOT}test/deploy/objects.ts`

/** The type of an object is that of its version and kind. */
const typed = (object: Manifest, n: number): string => {
  const [group = '', version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['core', object.apiVersion]
  const from = `kubernetes-types/${group.replace(/\.k8s\.io$/, '')}/${version}`
  return `export const object${n}: import('${from}').${object.kind} = ${JSON.stringify(object)}`
}

const served = new Set([...metrics().matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
const metricOf = (series: string): string => (served.has(series) ? series : series.replace(/_(bucket|sum|count)$/, ''))

/** How long a process may take to stop. */
const stopSeconds = (): number => {
  const source = readFileSync(`${ROOT}packages/cli/src/start/stop-service.ts`, 'utf8')
  return Number(/STOP_TIMEOUT_MS = (\d+)_000/.exec(source)?.[1])
}

describe.runIf(kubectl !== null).each(['small', 'whole'] as const)('the overlay %s', (overlay: Overlay) => {
  const manifests = kubectl === null ? { all: [], of: () => [], environmentOf: () => ({}) } : renderOverlay(overlay)
  const secrets = secretsOfPage(overlay)
  const roles = rolesOf(manifests)
  const configOf = (workload: Deployment | Job) => loadConfig(manifests.environmentOf(workload, secrets), null)

  it('runs every role that has work as a Deployment of its own', () => {
    const expected = overlay === 'small' ? ROLES.filter((role) => role !== 'relay') : ROLES
    expect(roles.map(nameOf).sort()).toEqual([...expected].sort())
    expect(roles.map((role) => containerOf(role).args)).toEqual(roles.map((role) => ['start', nameOf(role)]))
    expect(manifests.of('Job').map((job) => containerOf(job).args)).toEqual([['migrate']])
  })

  it('gives every role and the migration a configuration that it takes, and query-api no secret but the database', () => {
    for (const workload of [...roles, ...manifests.of('Job')]) {
      const { environment, secrets: keys, storage, kafka } = configOf(workload)
      const readsOnly = ['query-api', 'migrate'].includes(nameOf(workload))
      expect([nameOf(workload), environment]).toEqual([nameOf(workload), 'production'])
      expect(storage.databaseUrl).toBe(secrets['tidings-reading']?.TIDINGS_DATABASE_URL)
      expect(keys.masterKey).toBe(readsOnly ? null : secrets['tidings-writing']?.TIDINGS_MASTER_KEY)
      const readsReplicas = overlay === 'whole' && ['query-api', 'command-api'].includes(nameOf(workload))
      expect([nameOf(workload), storage.readDatabaseUrls.length]).toEqual([nameOf(workload), readsReplicas ? 2 : 0])
      expect([nameOf(workload), kafka.brokers.length > 0]).toEqual([nameOf(workload), overlay === 'whole' && !readsOnly])
    }
    expect(manifests.of('Secret')).toEqual([])
  })

  it('asks for health and metrics where the code serves them', async () => {
    const app = createAdminApp({ ready: {} })
    const paths = new Set<string>()
    for (const role of roles) {
      const { http } = configOf(role)
      const { startupProbe, readinessProbe, livenessProbe } = containerOf(role)
      const probes = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet)
      expect([portOf(role, 'http'), portOf(role, 'admin')]).toEqual([http.port, http.adminPort])
      for (const probe of probes) expect(portOf(role, probe?.port)).toBe(http.adminPort)
      const scraped = podOf(role).metadata?.annotations ?? {}
      expect([scraped['prometheus.io/scrape'], scraped['prometheus.io/port']]).toEqual(['true', String(http.adminPort)])
      for (const path of [...probes.map((probe) => probe?.path), scraped['prometheus.io/path']]) paths.add(path ?? '')
    }
    expect([...paths].sort()).toEqual(['/health/live', '/health/ready', '/metrics'])
    for (const path of paths) expect([path, (await app.inject(path)).statusCode]).toEqual([path, 200])
    await app.close()
  })

  it('gives every role the time that its stop takes, behind the time in which callers learn of it', () => {
    for (const role of roles) {
      const waits = containerOf(role).lifecycle?.preStop?.sleep?.seconds ?? 0
      expect(waits).toBeGreaterThanOrEqual(10)
      expect(podOf(role).spec?.terminationGracePeriodSeconds).toBeGreaterThan(waits + stopSeconds())
    }
  })

  it('lets no pod be root, gain rights, write its image, or be given addresses that are no settings', () => {
    for (const workload of workloadsOf(manifests)) {
      const { spec } = podOf(workload)
      expect([nameOf(workload), spec]).toMatchObject([
        nameOf(workload),
        {
          enableServiceLinks: false,
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: expect.any(Number), seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
              resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.stringMatching(/^\d+[MG]i$/) } },
            },
          ],
        },
      ])
    }
  })

  it('takes the images of the compose stack', () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
    const known = [`tidings:${version}`, service('gateway').image, service('postgres').image]
    expect(workloadsOf(manifests).filter((one) => !known.includes(containerOf(one).image ?? ''))).toEqual([])
  })

  it('has services, budgets and policies of pods that are there', () => {
    const pods = workloadsOf(manifests).map(labelsOf)
    const isOf = (pod: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>> = {}) =>
      Object.entries(wanted).every(([key, value]) => pod[key] === value)
    for (const { metadata, spec } of manifests.of('Service')) {
      const [pod] = workloadsOf(manifests).filter((one) => isOf(labelsOf(one), spec?.selector))
      expect([metadata?.name, pod && nameOf(pod)]).toEqual([metadata?.name, metadata?.name])
      for (const { targetPort } of spec?.ports ?? []) expect(portOf(pod as Deployment, targetPort)).toBeDefined()
    }
    for (const { spec } of manifests.of('NetworkPolicy')) {
      for (const { operator, values = [], key } of spec?.podSelector?.matchExpressions ?? []) {
        const missing = values.filter((value) => !pods.some((pod) => pod[key] === value))
        expect([operator, missing]).toEqual(['In', []])
      }
      expect(pods.some((pod) => isOf(pod, spec?.podSelector?.matchLabels))).toBe(true)
    }
    const budgets = manifests.of('PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels)
    for (const deployment of manifests.of('Deployment'))
      expect([nameOf(deployment), budgets.filter((wanted) => isOf(labelsOf(deployment), wanted)).length]).toEqual([nameOf(deployment), 1])
  })

  /** The ports that policies let a pod reach; of those to addresses of the world, `*`. */
  const reachedBy = (labels: Readonly<Record<string, string>>): readonly (string | number)[] => {
    const isFor = ({ spec }: NetworkPolicy): boolean =>
      Object.entries(spec?.podSelector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
      (spec?.podSelector?.matchExpressions ?? []).every(({ key, values }) => values?.includes(labels[key] ?? ''))
    const ports = manifests
      .of('NetworkPolicy')
      .filter(isFor)
      .flatMap(({ spec }) => spec?.egress ?? [])
      .flatMap(({ ports = [{ port: '*' }] }) => ports.map(({ port }) => port ?? '*'))
    return [...new Set(ports)].sort()
  }

  it('lets each role reach the stores that it needs, and query-api the database alone', () => {
    const stores = overlay === 'whole' ? [2113, 9092] : []
    const reached = Object.fromEntries(roles.map((role) => [nameOf(role), reachedBy(labelsOf(role))]))
    const writing = [...stores, 53, 5432].sort()
    expect(reached).toEqual({
      'query-api': [53, 5432],
      projectors: writing,
      consumers: ['*', ...writing].sort(),
      'command-api': ['*', ...writing].sort(),
      ...(overlay === 'whole' && { relay: writing }),
    })
    const addresses = Object.values({ ...secrets['tidings-reading'], ...secrets['tidings-writing'], ...secrets['tidings-replicas'] }).join(
      ' ',
    )
    const ports = [...addresses.matchAll(/\.com:(\d+)|@postgres:(\d+)/g)].map(([, one, other]) => Number(one ?? other))
    expect([...new Set(ports)].sort()).toEqual([...stores, 5432].sort())
  })

  it('leads the gateway to services by the names and variables that its file has', () => {
    const file = readFileSync(`${DEPLOY}gateway/Caddyfile`, 'utf8')
    const variables = new Map([...file.matchAll(/\{\$(\w+):([^}]*)\}/g)].map(([, name = '', other = '']) => [name, other]))
    const [gateway] = manifests.of('Deployment').filter((one) => nameOf(one) === 'gateway')
    const { env = [], readinessProbe, livenessProbe } = containerOf(gateway as Deployment)
    expect(env.filter(({ name }) => !variables.has(name))).toEqual([])
    expect(String(portOf(gateway as Deployment, 'http'))).toBe(variables.get('GATEWAY_PORT'))
    for (const probe of [readinessProbe, livenessProbe]) expect(file).toContain(`respond ${probe?.httpGet?.path} 200`)
    for (const api of ['COMMAND_API', 'QUERY_API']) {
      const [found] = manifests.of('Service').filter((one) => nameOf(one) === variables.get(`${api}_HOST`))
      expect([found?.spec?.clusterIP, found?.spec?.ports?.map(({ port }) => String(port))]).toEqual([
        'None',
        [variables.get(`${api}_PORT`)],
      ])
    }
  })

  it('has the files of the gateway and of the monitoring as they are', () => {
    const held = manifests.of('ConfigMap').flatMap(({ data = {} }) => Object.values(data))
    for (const file of ['gateway/Caddyfile', 'monitoring/alerts.yml', 'monitoring/dashboard.grafana.json'])
      expect(held).toContain(readFileSync(`${DEPLOY}${file}`, 'utf8'))
  })

  it('scales by metrics that are served, as the page has them, and consumers to no more than there are partitions', () => {
    const scalers = manifests.of('HorizontalPodAutoscaler')
    const named = scalers
      .flatMap(({ spec }) => spec?.metrics ?? [])
      .flatMap(({ external, pods }) => [external?.metric, pods?.metric].flatMap((metric) => (metric ? [metric] : [])))
    const adapter = JSON.stringify(yamlOfPage().at(-1))
    for (const { name, selector } of named) {
      expect([name, served.has(metricOf(name)), adapter.includes(`{"as":"${name}"}`)]).toEqual([name, true, true])
      expect([undefined, 'waiting']).toContain(selector?.matchLabels?.state)
    }
    expect(named).toHaveLength(overlay === 'whole' ? 2 : 0)
    for (const { spec } of scalers) {
      const [scaled] = roles.filter((role) => nameOf(role) === spec?.scaleTargetRef.name)
      // A number of its own would undo what the scaler did, at each apply.
      expect([spec?.scaleTargetRef.name, scaled?.spec?.replicas]).toEqual([nameOf(scaled ?? {}), undefined])
      if (nameOf(scaled ?? {}) === 'consumers')
        expect(spec?.maxReplicas).toBeLessThanOrEqual(configOf(scaled as Deployment).kafka.partitions)
    }
  })

  it('needs the connections that the page says', () => {
    const scalers = manifests.of('HorizontalPodAutoscaler')
    const count = (bound: 'minReplicas' | 'maxReplicas') =>
      roles.reduce((sum, role) => {
        const scaler = scalers.find(({ spec }) => spec?.scaleTargetRef.name === nameOf(role))
        const pods = scaler?.spec?.[bound] ?? role.spec?.replicas ?? 1
        return sum + pods * (nameOf(role) === 'query-api' ? 11 : 23)
      }, 0)
    const said = overlay === 'small' ? `| ${count('maxReplicas')} |` : `| ${count('minReplicas')} to ${count('maxReplicas')}, and more`
    expect(readPage('docs/how-to/deploy-on-kubernetes.md')).toContain(said)
  })
})

it.runIf(kubectl !== null)('all objects are as the API of Kubernetes has them, and a wrong field or type is noticed', () => {
  const objects = [...renderOverlay('small').all, ...renderOverlay('whole').all]
  const [deployment] = objects.filter(({ kind }) => kind === 'Deployment').map((one) => typed(one, objects.length))
  const wrong = [
    deployment?.replace('"readinessProbe"', '"readynessProbe"'),
    deployment?.replace('"containerPort":3000', '"containerPort":"3000"'),
  ]
  const planted = wrong.map((text, n) => text?.replace(/object\d+/, `wrong${n}`))
  expect(typeErrorsOf(ROOT, TYPED, [...objects.map(typed), ...planted].join('\n'))).toEqual([
    expect.stringContaining(`'"readynessProbe"' does not exist in type 'Container'`),
    "Type 'string' is not assignable to type 'number'.",
  ])
})

it.runIf(kubectl !== null)('the overlay of the page takes the image and the address that it names', () => {
  const [own] = yamlOfPage()
  const folder = mkdtempSync(`${DEPLOY}kubernetes/test-`)
  try {
    writeFileSync(`${folder}/kustomization.yaml`, stringify(own))
    const manifests = render(folder)
    const env = manifests.environmentOf(rolesOf(manifests)[0] as Deployment, secretsOfPage('small'))
    expect(env).toMatchObject({ TIDINGS_PUBLIC_URL: 'https://messages.example.com', TIDINGS_ADMIN_PORT: '9090' })
    expect(rolesOf(manifests).map((role) => containerOf(role).image)).toEqual(Array(4).fill('registry.example.com/tidings:0.1.0'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
