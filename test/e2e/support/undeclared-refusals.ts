/** How often each was refused, by `ROUTE: CODE`. */
export type Refusals = ReadonlyMap<string, number>

/** What the process at `url` has refused since it started with codes that `config.refusals` of the route does not name. One that does not answer any more cannot tell. */
export async function undeclaredRefusals(url: string): Promise<Refusals> {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(60_000) }).then(
    (answer) => answer.text(),
    () => '',
  )
  const lines = text.matchAll(/^http_undeclared_refusals_total\{route="([^"]*)",code="([^"]*)"\} (\d+)/gm)
  return new Map([...lines].map(([, route, code, times]) => [`${route}: ${code}`, Number(times)]))
}

/** Refusals after `before`: a process has counted for the test files that ran in it earlier, too. */
export function refusedSince(before: Refusals, after: Refusals): readonly string[] {
  return [...after].filter(([refusal, times]) => times > (before.get(refusal) ?? 0)).map(([refusal]) => refusal)
}
