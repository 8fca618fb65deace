// Browsers start no worker for a page that is opened as a file. Material's search runs in a worker, and its plugin
// `offline` expects a substitute: here the worker's script runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const script = String(url).replace(/&/g, "&amp;").replace(/"/g, "&quot;");
      this.frame.srcdoc =
        '<script>postMessage = data => parent.postMessage(data, "*")</script>' + `<script src="${script}"></script>`;
      this.loaded = new Promise(resolve => this.frame.addEventListener("load", resolve));
      window.addEventListener("message", event => {
        if (event.source === this.frame.contentWindow)
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
      });
      document.body.append(this.frame);
    }

    // `postMessage` of the frame sends to this page, so the event is made here.
    postMessage(data) {
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
