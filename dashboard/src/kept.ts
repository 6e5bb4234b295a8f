/** What this browser keeps between two visits. One that keeps nothing, such as a private window, has none of it: a choice holds for the page. */
export const kept = {
  read: (name: string): string | null => {
    try {
      return localStorage.getItem(name)
    } catch {
      return null
    }
  },
  write: (name: string, value: string): void => {
    try {
      localStorage.setItem(name, value)
    } catch {
      // The choice holds for this page.
    }
  },
}
