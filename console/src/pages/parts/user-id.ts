// A user as an operator types one.

import { api } from "../../lib/api.js";

/** An address is looked up; whatever is not found is left to the API, which names the error. */
export async function userId(text: string): Promise<string> {
  if (!text.includes("@")) {
    return text;
  }
  const { data } = await api.users.list({ email: text.trim() });
  return data[0]?.id ?? text;
}
