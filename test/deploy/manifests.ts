import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js'
import type { Job } from 'kubernetes-types/batch/v1.js'
import type { ConfigMap, Container, PodTemplateSpec, Secret, Service } from 'kubernetes-types/core/v1.js'
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js'
import { parse, parseAllDocuments } from 'yaml'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { DEPLOY, linter } from './tools.ts'

export type Overlay = 'small' | 'whole'

type Kinds = {
  ConfigMap: ConfigMap
  Deployment: Deployment
  HorizontalPodAutoscaler: HorizontalPodAutoscaler
  Job: Job
  NetworkPolicy: NetworkPolicy
  PodDisruptionBudget: PodDisruptionBudget
  Secret: Secret
  Service: Service
  StatefulSet: StatefulSet
}

export type Manifest = Readonly<{ apiVersion: string; kind: string; metadata: Readonly<{ name: string }> }>

/** The objects of an overlay, as they are given to a cluster. */
export type Manifests = Readonly<{
  all: readonly Manifest[]
  of: <Kind extends keyof Kinds>(kind: Kind) => readonly Kinds[Kind][]
  /** The variables of the pod of a role or of `migrate`: those of the image, of its settings, and of the secrets that it names. */
  environmentOf: (workload: Deployment | Job, secrets: Secrets) => Readonly<Record<string, string>>
}>

/** By the name of the secret. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>

export const kubectl = linter('kubectl')

/** Renders a folder as `kubectl apply -k` does. */
export function render(folder: string): Manifests {
  const text = execFileSync(kubectl ?? '', ['kustomize', folder], { encoding: 'utf8', maxBuffer: 1 << 26 })
  const all = parseAllDocuments(text).map((document) => document.toJS() as Manifest)
  const of: Manifests['of'] = (kind) => all.filter((one) => one.kind === kind) as never
  return { all, of, environmentOf: (workload, secrets) => environment(of('ConfigMap'), podOf(workload), secrets) }
}

export function renderOverlay(overlay: Overlay): Manifests {
  return render(`${DEPLOY}kubernetes/${overlay}`)
}

export function podOf(workload: Deployment | Job | StatefulSet): PodTemplateSpec {
  const { template } = workload.spec ?? {}
  if (template === undefined) throw new Error(`${workload.metadata?.name} has no pod`)
  return template
}

/** A pod here has one container. */
export function containerOf(workload: Deployment | Job | StatefulSet): Container {
  const [container] = podOf(workload).spec?.containers ?? []
  if (container === undefined) throw new Error(`${workload.metadata?.name} has no container`)
  return container
}

const imageEnvironment = (): Readonly<Record<string, string>> => {
  const [, line = ''] = /^ENV (.*)$/m.exec(readFileSync(`${DEPLOY}Dockerfile`, 'utf8')) ?? []
  return Object.fromEntries(line.split(' ').map((pair) => pair.split('=')))
}

const environment = (maps: readonly ConfigMap[], pod: PodTemplateSpec, secrets: Secrets): Readonly<Record<string, string>> => {
  const [container] = pod.spec?.containers ?? []
  const sources = (container?.envFrom ?? []).map(({ configMapRef, secretRef }) => {
    const given = secretRef?.name ? secrets[secretRef.name] : maps.find(({ metadata }) => metadata?.name === configMapRef?.name)?.data
    if (given === undefined && secretRef?.optional) return {}
    if (given === undefined) throw new Error(`${JSON.stringify({ configMapRef, secretRef })} is not there`)
    return given
  })
  const own = (container?.env ?? []).map(({ name, value = '' }) => [name, value])
  return Object.assign({}, imageEnvironment(), ...sources, Object.fromEntries(own))
}

const PAGE = 'docs/how-to/deploy-on-kubernetes.md'

/** The blocks of the page in one language, parsed. */
export function yamlOfPage(): readonly unknown[] {
  return blocksOf(readPage(PAGE)).flatMap(({ language, text }) => (language === 'yaml' ? [parse(text)] : []))
}

/** Without the indentation of the step that it is in. */
const dedented = (text: string): string => text.replaceAll(new RegExp(`^${/^ */.exec(text)?.[0]}`, 'gm'), '')

/** What the scripts of the page write for an overlay: the secrets by their names. */
export function secretsOfPage(overlay: Overlay): Secrets {
  const scripts = blocksOf(readPage(PAGE)).flatMap(({ language, text }) => (language === 'sh' ? [dedented(text)] : []))
  const folder = mkdtempSync(join(tmpdir(), 'tidings-secrets-'))
  try {
    execFileSync('sh', ['-eu', '-c', scripts.slice(0, overlay === 'small' ? 1 : 2).join('\n')], { cwd: folder })
    const read = (file: string) =>
      Object.fromEntries(
        readFileSync(join(folder, file), 'utf8')
          .trim()
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      )
    const names = ['reading', 'writing', overlay === 'small' ? 'postgres' : 'replicas']
    return Object.fromEntries(names.map((name) => [`tidings-${name}`, read(`${name}.env`)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
