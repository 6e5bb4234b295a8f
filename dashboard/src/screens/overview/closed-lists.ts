const placeOf = (slug: string): string => `tidings-first-steps-${slug}`

/** The workspaces whose first steps were closed in this browser. One that keeps nothing shows them again with the next page. */
export const closedLists = {
  has: (slug: string): boolean => {
    try {
      return localStorage.getItem(placeOf(slug)) !== null
    } catch {
      return false
    }
  },
  add: (slug: string): void => {
    try {
      localStorage.setItem(placeOf(slug), 'closed')
    } catch {
      // They stay closed on this page.
    }
  },
}
