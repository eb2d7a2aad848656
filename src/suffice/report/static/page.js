// What a report does beside its players: copies code, and opens everything for print.

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.copy);
    let done = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  button.hidden = false;
}

const closed = () => document.querySelectorAll("details:not([open])");
let opened = [];
addEventListener("beforeprint", () => { opened = [...closed()]; for (const one of opened) one.open = true; });
addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
