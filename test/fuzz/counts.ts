/** Requests that the service answered since its start, by status and by route and status. */
export type Counts = Readonly<{ total: number; byStatus: ReadonlyMap<string, number>; failures: readonly string[] }>

const ROUTE = /^http_request_duration_seconds_count\{method="([^"]*)",route="([^"]*)",status="(\d+)"\} (\d+)$/gm
const UNKNOWN = /^http_unknown_route_total (\d+)$/m

/** The service counts its answers itself, so nothing stands between it and the fuzzer. */
export async function readCounts(url: string): Promise<Counts> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const byStatus = new Map<string, number>()
  const failures: string[] = []
  const add = (status: string, count: number) => byStatus.set(status, (byStatus.get(status) ?? 0) + count)
  for (const [, method, route, status = '', count] of text.matchAll(ROUTE)) {
    if (route === '/metrics' || route === '/openapi.json') continue
    add(status, Number(count))
    if (Number(status) >= 500) failures.push(`${status} × ${count}: ${method} ${route}`)
  }
  const unknown = Number(UNKNOWN.exec(text)?.[1] ?? 0)
  if (unknown > 0) add('404', unknown)
  return { total: [...byStatus.values()].reduce((sum, count) => sum + count, 0), byStatus, failures }
}

/** Answers of 500 and above, but for 503: that one says that the service is away for a reason, and asks to be called again. */
export function serverErrors({ byStatus }: Counts): number {
  return [...byStatus].reduce((sum, [status, count]) => (Number(status) >= 500 && status !== '503' ? sum + count : sum), 0)
}
