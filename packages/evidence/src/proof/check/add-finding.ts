/** The first are enough to know where to look. */
const MOST = 100

export function addFinding(findings: string[], sentence: string): void {
  if (findings.length < MOST) findings.push(sentence)
  else if (findings.length === MOST) findings.push('There is more that is not listed.')
}
